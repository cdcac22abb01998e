#include "io/ffmpeg.h"

#include "core/error.h"
#include "io/file_bytes.h"
#include "io/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace diarize {

namespace {

constexpr rlim_t kMemoryLimitBytes = rlim_t{4} << 30;
// Of what it says, from the beginning.
constexpr std::size_t kMaxReadBytes = 1 << 16;

// The file is standard input, opened anew so that ffmpeg may go back in it.
const std::vector<std::string>& arguments() {
  static const std::vector<std::string> kArguments = {
      "-nostdin", "-hide_banner", "-loglevel", "level+info", "-nostats",
      // A play list must not make it open anything else.
      "-protocol_whitelist", "file,pipe", "-i", "file:/proc/self/fd/0", "-map",
      "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "pipe:1"};
  return kArguments;
}

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw FatalError(
        fmt::format("no pipe for ffmpeg: {}", std::strerror(errno)));
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The first line of level error, without what ffmpeg puts in front of it: its
// "[module @ address]" and the level.
std::string first_error(const std::string& text) {
  for (const std::string level : {"[error] ", "[fatal] "}) {
    if (const auto place = text.find(level); place != text.npos) {
      const auto begin = place + level.size();
      return text.substr(begin, text.find('\n', begin) - begin);
    }
  }
  return "";
}

// From "Duration: 00:01:23.45,"; none if there is no such line, if ffmpeg says
// that it guessed, or if there are pictures, which may last longer than the
// sound.
std::optional<double> duration_of(const std::string& text) {
  const std::string kLabel = "Duration: ";
  const auto place = text.find(kLabel);
  const bool guessed = text.find("Estimating duration") != text.npos;
  const bool has_pictures = text.find("Video: ") != text.npos;
  if (place == text.npos || guessed || has_pictures) {
    return std::nullopt;
  }
  std::istringstream line(text.substr(place + kLabel.size(), 32));
  double hours = 0.0;
  double minutes = 0.0;
  double seconds = 0.0;
  char colon = ':';
  if (!(line >> hours >> colon >> minutes >> colon >> seconds)) {
    return std::nullopt;
  }
  return (hours * 60.0 + minutes) * 60.0 + seconds;
}

}  // namespace

std::optional<std::filesystem::path> find_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto program = std::filesystem::path(folder) / "ffmpeg";
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

FfmpegProcess::FfmpegProcess(const std::filesystem::path& program,
                             const FileDescriptor& file)
    : complaints_(make_nameless_file()) {
  auto [reader, writer] = make_pipe();
  process_ = ChildProcess(program, arguments(),
                          {{file.number(), STDIN_FILENO},
                           {writer.number(), STDOUT_FILENO},
                           {complaints_.number(), STDERR_FILENO}});
  const rlimit limit{kMemoryLimitBytes, kMemoryLimitBytes};
  static_cast<void>(::prlimit(process_.pid(), RLIMIT_AS, &limit, nullptr));
  output_ = std::move(reader);
}

FfmpegProcess::End FfmpegProcess::end() {
  const std::string status = process_.end();
  FileBytes said(std::move(complaints_));
  std::string text(kMaxReadBytes, '\0');
  text.resize(said.read_at(0, std::as_writable_bytes(std::span(text))));
  End end{first_error(text), duration_of(text)};
  if (end.complaint.empty()) end.complaint = status;
  return end;
}

}  // namespace diarize
