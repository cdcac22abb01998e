#include "io/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace diarize {

namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view name;
  ContainerReader reader;
};

constexpr auto kSndfile = ContainerReader::kSndfile;
constexpr auto kFfmpeg = ContainerReader::kFfmpeg;
constexpr auto kNobody = ContainerReader::kNobody;

using namespace std::string_view_literals;

// The first that fits counts.
constexpr std::array kSignatures = {
    Signature{8, "WAVE"sv, "a WAV file"sv, kSndfile},
    Signature{0, "riff\x2e\x91\xcf\x11"sv, "a W64 file"sv, kSndfile},
    Signature{8, "AIFF"sv, "an AIFF file"sv, kSndfile},
    Signature{8, "AIFC"sv, "an AIFF-C file"sv, kSndfile},
    Signature{0, "caff"sv, "a CAF file"sv, kSndfile},
    Signature{0, ".snd"sv, "an AU file"sv, kSndfile},
    Signature{0, "fLaC"sv, "a FLAC file"sv, kSndfile},
    Signature{0, "OggS"sv, "an Ogg file"sv, kSndfile},
    Signature{0, "NIST_1A\n"sv, "a NIST SPHERE file"sv, kSndfile},
    Signature{0, "ID3"sv, "an MP3 file"sv, kSndfile},
    Signature{4, "ftyp"sv, "an MPEG-4 file (m4a, mp4, mov)"sv, kFfmpeg},
    Signature{4, "moov"sv, "a QuickTime file"sv, kFfmpeg},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "a Matroska file (mkv, webm)"sv,
              kFfmpeg},
    Signature{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"sv,
              "a Windows Media file (wma, asf)"sv, kFfmpeg},
    Signature{0, "#!AMR"sv, "an AMR file"sv, kFfmpeg},
    Signature{0, "#!SILK"sv, "a SILK file"sv, kNobody},
    Signature{8, "AVI "sv, "an AVI file"sv, kFfmpeg},
    Signature{0, "FLV\x01"sv, "a Flash video file"sv, kFfmpeg},
    Signature{0, "\x00\x00\x01\xba"sv, "an MPEG program stream"sv, kFfmpeg},
    Signature{0, "\x0b\x77"sv, "an AC-3 stream"sv, kFfmpeg},
    Signature{0, "MAC "sv, "a Monkey's Audio file"sv, kFfmpeg},
    Signature{0, "wvpk"sv, "a WavPack file"sv, kFfmpeg},
    Signature{0, "DSD "sv, "a DSF file"sv, kFfmpeg},
    Signature{0, "FRM8"sv, "a DSDIFF file"sv, kFfmpeg},
    Signature{0, "\x89PNG"sv, "a PNG picture"sv, kNobody},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG picture"sv, kNobody},
    Signature{0, "%PDF"sv, "a PDF document"sv, kNobody},
    Signature{0, "PK\x03\x04"sv, "a ZIP archive"sv, kNobody},
    Signature{0, "\x1f\x8b"sv, "a gzip file"sv, kNobody},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "a program"sv, kNobody},
};

bool has(std::string_view head, const Signature& signature) {
  return head.size() >= signature.offset &&
         head.substr(signature.offset).starts_with(signature.bytes);
}

// Twelve bits set begin a frame of MPEG audio; layer 0 is AAC's (ADTS).
Container mpeg_audio(std::string_view head) {
  if (head.size() < 2 || head[0] != '\xff') return {};
  const auto second = static_cast<unsigned char>(head[1]);
  if ((second & 0xF0U) != 0xF0U && (second & 0xF6U) != 0xE2U) return {};
  if ((second & 0x06U) == 0) return {"an AAC stream", kFfmpeg};
  return {"an MP3 file", kSndfile};
}

// ASCII or UTF-8 without control characters other than white space.
bool is_text(std::string_view head) {
  return !head.empty() &&
         std::ranges::none_of(
             head,
             [](char letter) {
               const auto byte = static_cast<unsigned char>(letter);
               return (byte < 0x20 && (byte < '\t' || byte > '\r')) ||
                      byte == 0x7F;
             }) &&
         std::ranges::count_if(
             head,
             [](char letter) {
               return static_cast<unsigned char>(letter) < 0x80;
             }) * 4 >=
             std::ssize(head) * 3;
}

}  // namespace

Container identify_container(std::span<const std::byte> bytes) {
  std::string head;
  std::ranges::transform(bytes.first(std::min<std::size_t>(bytes.size(), 256)),
                         std::back_inserter(head), [](std::byte byte) {
                           return static_cast<char>(byte);
                         });
  for (const Signature& signature : kSignatures) {
    if (has(head, signature)) {
      return {std::string(signature.name), signature.reader};
    }
  }
  if (Container audio = mpeg_audio(head); !audio.name.empty()) return audio;
  if (is_text(head)) return {"text", kNobody};
  std::string begin;
  for (const char byte : head.substr(0, 4)) {
    begin += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  }
  return {fmt::format("not a known format (begins with{})", begin), kNobody};
}

}  // namespace diarize
