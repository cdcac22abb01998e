#include "io/sndfile_source.h"

#include "core/engine/stopwatch.h"
#include "core/error.h"
#include "io/container.h"
#include "io/file_bytes.h"
#include "io/header_repair.h"
#include "io/spool.h"
#include "io/stream_bytes.h"
#include "io/stream_end.h"

#include <fmt/format.h>
#include <sndfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

namespace diarize {

namespace {

constexpr int kMinSampleRate = 1000;
constexpr int kMaxSampleRate = 1'000'000;
// Kept of a pipe: what may lie before the samples of a WAV.
constexpr std::size_t kStreamHeadBytes = 1 << 16;

// libsndfile's view of the bytes: its callbacks are C and may not throw.
struct VirtualFile {
  std::unique_ptr<ByteSource> bytes;
  std::int64_t position = 0;
  std::optional<std::int64_t> header_end;  // while the header is read
  std::exception_ptr error;
  Stopwatch watch;  // of reading

  [[nodiscard]] std::int64_t size() const {
    return bytes->size().value_or(std::numeric_limits<std::int64_t>::max() / 4);
  }
};

VirtualFile& file_of(void* user) { return *static_cast<VirtualFile*>(user); }

sf_count_t get_size(void* user) { return file_of(user).size(); }

sf_count_t tell(void* user) { return file_of(user).position; }

// As lseek: a place before the beginning, or beyond all numbers, is refused
// and changes nothing.
sf_count_t seek(sf_count_t offset, int whence, void* user) {
  VirtualFile& file = file_of(user);
  std::int64_t base = 0;
  if (whence == SEEK_CUR) base = file.position;
  if (whence == SEEK_END) base = file.size();
  std::int64_t place = 0;
  if (__builtin_add_overflow(base, offset, &place) || place < 0) return -1;
  file.position = place;
  return place;
}

sf_count_t read_bytes(void* target, sf_count_t count, void* user) {
  VirtualFile& file = file_of(user);
  if (file.header_end) {
    count = std::min(count, *file.header_end - file.position);
  }
  if (file.error || count <= 0) return 0;
  try {
    const std::span part(static_cast<std::byte*>(target),
                         static_cast<std::size_t>(count));
    const std::size_t done = file.watch.time(
        [&] { return file.bytes->read_at(file.position, part); });
    file.position += static_cast<std::int64_t>(done);
    return static_cast<sf_count_t>(done);
  } catch (...) {
    file.error = std::current_exception();
    return 0;
  }
}

sf_count_t write_nothing(const void* /*source*/, sf_count_t /*count*/,
                         void* /*user*/) {
  return 0;
}

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};

// libsndfile's name of a major format or of a subtype.
std::string format_name(int command, int format) {
  SF_FORMAT_INFO info{};
  info.format = format;
  if (sf_command(nullptr, command, &info, sizeof info) != 0) return "unknown";
  return info.name;
}

[[noreturn]] void refuse_unknown(std::span<const std::byte> head) {
  throw UnreadableError(fmt::format(
      "is {}, expected audio: WAV, AIFF, AU, CAF, W64, RF64, FLAC, Ogg Vorbis, "
      "Opus or MP3",
      identify_container(head).name));
}

// The first bytes of a stream, as if they were all.
class HeadBytes final : public ByteSource {
 public:
  explicit HeadBytes(std::span<const std::byte> head) : head_(head) {}

  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override {
    const auto begin = std::min<std::int64_t>(offset, std::ssize(head_));
    const auto rest = head_.subspan(static_cast<std::size_t>(begin));
    const auto taken = rest.first(std::min(rest.size(), bytes.size()));
    std::ranges::copy(taken, bytes.begin());
    return taken.size();
  }
  [[nodiscard]] std::optional<std::int64_t> size() const override {
    return std::ssize(head_);
  }

 private:
  std::span<const std::byte> head_;
};

// What libsndfile says of a file, where it makes sense to people.
std::string reason_of(std::string said) {
  for (const std::string_view inner :
       {"Internal error", "Unspecified internal error"}) {
    if (said.starts_with(inner)) return "its header makes no sense";
  }
  if (said.starts_with("File does not exist")) return "no sound is found in it";
  while (said.ends_with('.')) said.pop_back();
  return said;
}

std::vector<std::byte> head_of(ByteSource& bytes, std::size_t count) {
  std::vector<std::byte> head(count);
  head.resize(bytes.read_at(0, head));
  return head;
}

// Reads through libsndfile.
class SndfileSource final : public AudioSource {
 public:
  explicit SndfileSource(RepairedBytes repaired);

  [[nodiscard]] const AudioFormat& format() const override { return format_; }
  [[nodiscard]] std::span<const float> read() override;
  [[nodiscard]] SourceReport report() const override {
    SourceReport report = report_;
    report.byte_seconds = file_.watch.seconds();
    return report;
  }

 private:
  void open();
  [[noreturn]] void refuse();
  void check_format(const SF_INFO& info);
  [[nodiscard]] std::optional<double> promised_frames(const SF_INFO& info,
                                                      double share);
  void note_end();
  void note_container_end(double seconds);
  void warn_of_more(std::string warning);

  VirtualFile file_;
  SF_VIRTUAL_IO callbacks_{get_size, seek, read_bytes, write_nothing, tell};
  SF_INFO info_{};
  std::unique_ptr<SNDFILE, CloseSndfile> sndfile_;
  AudioFormat format_;
  SourceReport report_;
  std::vector<float> block_;
  std::int64_t surplus_bytes_ = 0;  // see RepairedBytes
  bool ended_ = false;
};

SndfileSource::SndfileSource(RepairedBytes repaired) {
  file_.bytes = std::move(repaired.bytes);
  file_.header_end = repaired.header_end;
  surplus_bytes_ = repaired.surplus_bytes;
  open();
  check_format(info_);
  format_.sample_rate = info_.samplerate;
  format_.num_channels = info_.channels;
  format_.encoding = fmt::format(
      "{}, {}",
      format_name(SFC_GET_FORMAT_INFO, info_.format & SF_FORMAT_TYPEMASK),
      format_name(SFC_GET_FORMAT_INFO, info_.format & SF_FORMAT_SUBMASK));
  if (const auto frames = promised_frames(info_, repaired.promised_share)) {
    report_.seconds_promised = *frames / info_.samplerate;
  }
  const auto channels = static_cast<std::size_t>(info_.channels);
  block_.resize(std::max<std::size_t>(kMaxBlockSamples / channels, 1) *
                channels);
}

void SndfileSource::open() {
  sndfile_.reset(sf_open_virtual(&callbacks_, SFM_READ, &info_, &file_));
  file_.header_end.reset();
  if (file_.error) std::rethrow_exception(file_.error);
  if (!sndfile_) refuse();
}

void SndfileSource::refuse() {
  const bool known = sf_error(nullptr) != SF_ERR_UNRECOGNISED_FORMAT;
  const std::string reason = reason_of(sf_strerror(nullptr));
  const auto head = head_of(*file_.bytes, 256);
  if (head.empty()) throw InputError("is empty (0 bytes), expected audio");
  const std::string name = identify_container(head).name;
  if (known) {
    throw UnreadableError(fmt::format(
        "is {} that cannot be read ({}), expected a whole audio file", name,
        reason));
  }
  refuse_unknown(head);
}

void SndfileSource::check_format(const SF_INFO& info) {
  if (info.samplerate < kMinSampleRate || info.samplerate > kMaxSampleRate) {
    throw InputError(
        fmt::format("has a sample rate of {} Hz, expected {} to {} Hz",
                    info.samplerate, kMinSampleRate, kMaxSampleRate));
  }
  if (info.channels < 1) {
    throw InputError("has no channel, expected at least one");
  }
}

// share: promised bytes over those that are there.
std::optional<double> SndfileSource::promised_frames(const SF_INFO& info,
                                                     double share) {
  constexpr sf_count_t kUnknown = sf_count_t{1} << 50;
  if (info.frames <= 0 || info.frames > kUnknown) return std::nullopt;
  const bool is_mp3 = (info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_MPEG;
  if (is_mp3 && !mp3_states_length(*file_.bytes)) return std::nullopt;
  return std::round(static_cast<double>(info.frames) * share);
}

std::span<const float> SndfileSource::read() {
  if (ended_) return {};
  const auto channels = static_cast<std::size_t>(info_.channels);
  const auto wanted = static_cast<sf_count_t>(block_.size() / channels);
  const sf_count_t frames =
      sf_readf_float(sndfile_.get(), block_.data(), wanted);
  if (file_.error) std::rethrow_exception(file_.error);
  if (frames <= 0) {
    note_end();
    return {};
  }
  report_.num_frames += frames;
  return std::span(block_).first(static_cast<std::size_t>(frames) * channels);
}

void SndfileSource::note_end() {
  ended_ = true;
  const double seconds =
      static_cast<double>(report_.num_frames) / format_.sample_rate;
  if (sf_error(sndfile_.get()) != SF_ERR_NO_ERROR) {
    warn_of_more(fmt::format("the decoder stopped at {:.2f} s: {}", seconds,
                             sf_strerror(sndfile_.get())));
  }
  if (surplus_bytes_ > 0) {
    report_.warnings.push_back(fmt::format(
        "{} bytes follow the {:.2f} s of samples that its header counts and "
        "were left out",
        surplus_bytes_, seconds));
  }
  note_container_end(seconds);
}

// What the container says of its end, beside the number of samples.
void SndfileSource::note_container_end(double seconds) {
  const int container = info_.format & SF_FORMAT_TYPEMASK;
  if (container == SF_FORMAT_OGG) {
    const OggEnd end = inspect_ogg(*file_.bytes);
    if (end.chained) {
      warn_of_more(fmt::format(
          "another stream follows the first one, which ends at {:.2f} s",
          seconds));
    } else if (!end.marked) {
      report_.warnings.push_back(fmt::format(
          "ends at {:.2f} s without the mark that ends a stream: it was cut",
          seconds));
    }
  }
  const bool coded = container == SF_FORMAT_FLAC || container == SF_FORMAT_MPEG;
  const std::int64_t unread = file_.size() - file_.position;
  if (container == SF_FORMAT_MPEG && mp3_surplus_bytes(*file_.bytes) > 0) {
    warn_of_more(
        fmt::format("{} bytes follow the {:.2f} s that its header states",
                    mp3_surplus_bytes(*file_.bytes), seconds));
  } else if (coded && unread > kMaxTagBytes) {
    warn_of_more(fmt::format(
        "its last {} bytes, behind {:.2f} s, were not read", unread, seconds));
  }
  const double promised = report_.seconds_promised.value_or(0.0);
  if (coded && promised > seconds + kToleratedSeconds) {
    report_.may_hold_more = true;
  }
}

// Another decoder might read on.
void SndfileSource::warn_of_more(std::string warning) {
  report_.warnings.push_back(std::move(warning));
  report_.may_hold_more = true;
}

// Whether libsndfile may know what begins with these bytes.
bool may_be_audio(std::span<const std::byte> head) {
  if (identify_container(head).reader == ContainerReader::kSndfile) return true;
  // What is known by name but not to it; the rest it knows by its first bytes.
  VirtualFile file;
  file.bytes = std::make_unique<HeadBytes>(head);
  SF_VIRTUAL_IO callbacks{get_size, seek, read_bytes, write_nothing, tell};
  SF_INFO info{};
  const std::unique_ptr<SNDFILE, CloseSndfile> opened(
      sf_open_virtual(&callbacks, SFM_READ, &info, &file));
  return opened || sf_error(nullptr) != SF_ERR_UNRECOGNISED_FORMAT;
}

std::unique_ptr<AudioSource> open_file(FileDescriptor file) {
  return std::make_unique<SndfileSource>(
      repair_header(std::make_unique<FileBytes>(std::move(file))));
}

std::unique_ptr<AudioSource> open_pipe(FileDescriptor pipe,
                                       std::optional<FileDescriptor> spool_file,
                                       const Waiting& waiting) {
  auto stream =
      std::make_unique<StreamBytes>(std::move(pipe), kStreamHeadBytes, waiting);
  const std::int64_t head_bytes = std::ssize(stream->head());
  if (head_bytes == 0) {
    throw InputError("is empty (0 bytes), expected audio");
  }
  const std::vector<std::byte> head(stream->head().begin(),
                                    stream->head().end());
  std::unique_ptr<ByteSource> bytes = std::move(stream);
  if (auto repaired = repair_stream(bytes, head_bytes)) {
    return std::make_unique<SndfileSource>(std::move(*repaired));
  }
  // What is no audio may go on for ever.
  if (!may_be_audio(head)) refuse_unknown(head);
  FileDescriptor target =
      spool_file ? std::move(*spool_file) : make_nameless_file();
  return open_file(spool(*bytes, std::move(target)));
}

}  // namespace

std::unique_ptr<AudioSource> open_sndfile(
    FileDescriptor file, std::optional<FileDescriptor> spool_file,
    const Waiting& waiting) {
  struct stat status{};
  const bool on_disk =
      ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
  return on_disk ? open_file(std::move(file))
                 : open_pipe(std::move(file), std::move(spool_file), waiting);
}

}  // namespace diarize
