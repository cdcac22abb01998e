#include "io/decoder_pool.h"

#include "core/error.h"
#include "tests/io/make_audio.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sndfile.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

namespace {

using diarize::DecodeOptions;
using diarize::DecoderPool;
using diarize::DecoderPoolOptions;
using diarize::InputError;
using diarize::test::ramp;
using diarize::test::TemporaryFolder;
using diarize::test::tones;
using diarize::test::wav_bytes;
using diarize::test::write_audio;
using namespace std::chrono_literals;

DecoderPoolOptions pool_options() {
  DecoderPoolOptions options;
  options.program = DIARIZE_DECODE_PROGRAM;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  options.memory_limit_bytes = 0;  // sanitizers map all they can
#endif
  return options;
}

const diarize::SampleSink kIgnore = [](std::span<const float>) {};

// Long enough that a socket does not hold all of it.
std::filesystem::path long_file(const TemporaryFolder& folder) {
  const auto path = folder.path() / "long.wav";
  write_audio(path, tones(1'600'000, 1, 16000), 1, 16000,
              SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  return path;
}

std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_SUITE("decoder_pool") {
  TEST_CASE("processes give the bytes and reports of decoding in process") {
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.wav", tones(150000, 2, 44100), 2, 44100,
                SF_FORMAT_WAV | SF_FORMAT_PCM_24);
    write_audio(folder.path() / "b.flac", tones(150000, 6, 48000), 6, 48000,
                SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    write_audio(folder.path() / "c.ogg", tones(150000, 1, 16000), 1, 16000,
                SF_FORMAT_OGG | SF_FORMAT_VORBIS);
    write_audio(folder.path() / "d.mp3", tones(150000, 2, 22050), 2, 22050,
                SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III);
    folder.write("e.wav", wav_bytes(ramp(32000)).substr(0, 30001));
    DecoderPool pool(pool_options());
    for (const char* name : {"a.wav", "b.flac", "c.ogg", "d.mp3", "e.wav"}) {
      CAPTURE(name);
      std::vector<float> here;
      std::vector<float> there;
      DecodeOptions options;
      options.start = 0.25;
      const auto expected = diarize::decode_file(
          folder.path() / name, options, [&](std::span<const float> samples) {
            here.insert(here.end(), samples.begin(), samples.end());
          });
      const auto found = pool.decode(
          folder.path() / name, options, [&](std::span<const float> samples) {
            there.insert(there.end(), samples.begin(), samples.end());
          });
      CHECK(here == there);
      CHECK(found.num_samples == expected.num_samples);
      CHECK(found.seconds_read == expected.seconds_read);
      CHECK(found.seconds_promised == expected.seconds_promised);
      CHECK(found.level.rms_dbfs == expected.level.rms_dbfs);
      CHECK(found.level.peak_seconds == expected.level.peak_seconds);
      CHECK(found.warnings == expected.warnings);
    }
    CHECK(pool.num_lost() == 0);
    CHECK(pool.idle_pids().size() == 1);
  }

  TEST_CASE("a file that cannot be done keeps its process") {
    const TemporaryFolder folder;
    DecoderPool pool(pool_options());
    const auto text = folder.write("text.wav", "not audio\n");
    CHECK(failure([&] {
            static_cast<void>(pool.decode(text, {}, kIgnore));
          }).starts_with("is text, expected audio"));
    CHECK(failure([&] {
            static_cast<void>(
                pool.decode(folder.path() / "missing.wav", {}, kIgnore));
          }) == "no such file, expected an audio file");
    CHECK(pool.num_lost() == 0);
    CHECK(pool.idle_pids().size() == 1);
  }

  TEST_CASE("a killed process costs its file and is replaced") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecoderPool pool(pool_options());
    static_cast<void>(pool.decode(path, {}, kIgnore));
    const pid_t pid = pool.idle_pids().at(0);
    CHECK(
        failure([&] {
          static_cast<void>(pool.decode(
              path, {}, [&](std::span<const float>) { ::kill(pid, SIGKILL); }));
        }) ==
        "the decoder process was killed by signal 9 (Killed) in the middle");
    CHECK(pool.num_lost() == 1);
    CHECK(pool.decode(path, {}, kIgnore).num_samples == 1'600'000);
    CHECK(pool.idle_pids().at(0) != pid);
  }

  TEST_CASE("a file that shrinks or vanishes meanwhile is an error or done") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecoderPool pool(pool_options());
    CHECK(pool.decode(path, {},
                      [&](std::span<const float>) {
                        std::filesystem::remove(path);  // it stays open
                      })
              .num_samples == 1'600'000);
    long_file(folder);
    CHECK(failure([&] {
            static_cast<void>(
                pool.decode(path, {}, [&](std::span<const float>) {
                  std::filesystem::resize_file(path, 1000);
                }));
          }).starts_with("became shorter while it was read"));
    CHECK(pool.num_lost() == 0);
  }

  TEST_CASE("a process killed while it waits costs no file") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecoderPool pool(pool_options());
    static_cast<void>(pool.decode(path, {}, kIgnore));
    const pid_t pid = pool.idle_pids().at(0);
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    CHECK(pool.decode(path, {}, kIgnore).num_samples == 1'600'000);
    CHECK(pool.num_lost() == 1);
  }

  TEST_CASE("a process that hangs costs its file and is replaced") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecodeOptions options;
    options.waiting.timeout = 1s;
    DecoderPool pool(pool_options());
    static_cast<void>(pool.decode(path, {}, kIgnore));
    const pid_t pid = pool.idle_pids().at(0);
    CHECK(failure([&] {
            static_cast<void>(pool.decode(
                path, options,
                [&](std::span<const float>) { ::kill(pid, SIGSTOP); }));
          }) == "the decoder gave nothing for 1 s");
    CHECK(pool.decode(path, {}, kIgnore).num_samples == 1'600'000);
    CHECK(pool.num_lost() == 1);
  }

  TEST_CASE("waiting for a process that hangs can be given up") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecoderPool pool(pool_options());
    static_cast<void>(pool.decode(path, {}, kIgnore));
    const pid_t pid = pool.idle_pids().at(0);
    bool stopped = false;
    DecodeOptions options;
    options.waiting.timeout.reset();
    options.waiting.check = [&] {
      if (stopped) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH(
        static_cast<void>(pool.decode(path, options,
                                      [&](std::span<const float>) {
                                        ::kill(pid, SIGSTOP);
                                        stopped = true;
                                      })),
        "enough");
    CHECK(pool.decode(path, {}, kIgnore).num_samples == 1'600'000);
    CHECK(pool.num_lost() == 1);
  }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  TEST_CASE("processes gain no privileges and hold nothing but their socket") {
    const TemporaryFolder folder;
    DecoderPool pool(pool_options());
    static_cast<void>(
        pool.decode(folder.write("a.wav", wav_bytes(ramp(100))), {}, kIgnore));
    const auto process =
        std::filesystem::path("/proc") / std::to_string(pool.idle_pids().at(0));
    std::ifstream file(process / "status");
    std::set<std::string> status;
    for (std::string line; std::getline(file, line);) status.insert(line);
    CHECK(status.contains("NoNewPrivs:\t1"));
    CHECK(status.contains("Seccomp:\t2"));  // a filter
    // Of the file it gets a copy, which it closes after its answer.
    REQUIRE(pool.decode(long_file(folder), {}, kIgnore).num_samples > 0);
    for (const auto& entry :
         std::filesystem::directory_iterator(process / "fd")) {
      const std::string number = entry.path().filename();
      std::error_code closed;
      const std::string target =
          std::filesystem::read_symlink(entry.path(), closed);
      if (closed) continue;
      CAPTURE(number);
      if (number == "3") {
        CHECK(target.starts_with("socket:"));
      } else if (number <= "2") {
        CHECK(target == "/dev/null");
      } else {
        CHECK(target.ends_with("/long.wav"));
      }
    }
  }

  TEST_CASE("a file too hungry for memory is refused and the next is done") {
    const TemporaryFolder folder;
    // The filter of this rate has 16000 phases of 768 taps: 49 MB.
    write_audio(folder.path() / "hungry.wav", tones(100000, 1, 999983), 1,
                999983, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
    auto options = pool_options();
    options.memory_limit_bytes = 48 << 20;
    DecoderPool pool(options);
    DecodeOptions sinc;
    sinc.resampler = diarize::ResamplerKind::kSinc;
    CHECK(failure([&] {
            static_cast<void>(
                pool.decode(folder.path() / "hungry.wav", sinc, kIgnore));
          }) == "needs more memory to decode than a decoder process may use");
    CHECK(pool.decode(long_file(folder), {}, kIgnore).num_samples == 1'600'000);
    CHECK(pool.num_lost() == 0);
  }
#endif

  TEST_CASE("a program that is not there is fatal") {
    const TemporaryFolder folder;
    auto options = pool_options();
    options.program = folder.path() / "diarize-decode";
    DecoderPool pool(options);
    const auto path = folder.write("a.wav", wav_bytes(ramp(100)));
    for (int attempt = 0; attempt < 2; ++attempt) {
      CHECK_THROWS_AS(static_cast<void>(pool.decode(path, {}, kIgnore)),
                      diarize::FatalError);
    }
  }

  TEST_CASE("what the sink throws passes through and the pool goes on") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    DecoderPool pool(pool_options());
    CHECK_THROWS_AS(
        static_cast<void>(pool.decode(path, {},
                                      [](std::span<const float>) {
                                        throw std::runtime_error("enough");
                                      })),
        std::runtime_error);
    CHECK(pool.decode(path, {}, kIgnore).num_samples == 1'600'000);
  }

  TEST_CASE("many threads share few processes") {
    const TemporaryFolder folder;
    const auto path = long_file(folder);
    auto options = pool_options();
    options.num_workers = 2;
    DecoderPool pool(options);
    std::atomic<std::int64_t> total = 0;
    std::vector<std::thread> threads;
    for (int number = 0; number < 5; ++number) {
      threads.emplace_back(
          [&] { total += pool.decode(path, {}, kIgnore).num_samples; });
    }
    for (auto& thread : threads) thread.join();
    CHECK(total == 5 * 1'600'000);
    CHECK(pool.idle_pids().size() <= 2);
  }
}
