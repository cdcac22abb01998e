#include "io/known_models.h"

#include <algorithm>
#include <iterator>

namespace diarize {
namespace {

constexpr KnownModel kKnownModels[] = {
    {"da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298",
     "pyannote/segmentation-3.0 pytorch_model.bin", "MIT",
     "CNRS, Herve Bredin"},
    {"92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
     "3D-Speaker speech_campplus_sv_zh_en_16k-common_advanced "
     "campplus_cn_en_common.pt",
     "Apache-2.0", "Alibaba, 3D-Speaker"},
    {"5ce2bfa9a938dc132cec1172592d65173cbb8f444ea1e4133f10f9391de155be",
     "pyannote/speaker-diarization-community-1 config.yaml", "CC-BY-4.0",
     "pyannoteAI, Herve Bredin"},
    {"7ad24338d844fb95985486eb1a464e32d229f6d7a03c9abe60f978bacf3f816e",
     "pyannote/speaker-diarization-community-1 segmentation/pytorch_model.bin",
     "CC-BY-4.0", "pyannoteAI, Herve Bredin"},
    {"6f10ff60898a1d185fa22e1d11e0bfa8a92efec811f11bca48cb8cafebefd929",
     "pyannote/speaker-diarization-community-1 embedding/pytorch_model.bin",
     "CC-BY-4.0", "pyannoteAI, WeSpeaker"},
    {"9b77bcd840692710dd3496f62ecfeed8d8e5f002fd991b785079b244eab7d255",
     "pyannote/speaker-diarization-community-1 plda/plda.npz", "CC-BY-4.0",
     "BUT Speech@FIT"},
    {"325f1ce8e48f7e55e9c8aa47e05d2766b7c48c4b25b8de8dd751e7a4cc5fbe8f",
     "pyannote/speaker-diarization-community-1 plda/xvec_transform.npz",
     "CC-BY-4.0", "BUT Speech@FIT"},
};

}  // namespace

const KnownModel* find_known_model(std::string_view sha256) {
  const auto* found =
      std::ranges::find(kKnownModels, sha256, &KnownModel::sha256);
  return found == std::end(kKnownModels) ? nullptr : found;
}

}  // namespace diarize
