#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace diarize {

// Writes values one behind the other, in this machine's own byte order: both
// ends are one build on one machine.
class WireWriter {
 public:
  void put(std::int64_t value);
  void put(double value);
  void put(const std::string& value);
  void put(const std::optional<double>& value);
  void put(const std::optional<int>& value);

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Reads them back in the same order. What comes from another process is not
// trusted: InputError where the bytes end too early or a string is longer than
// they are.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t get_integer();
  [[nodiscard]] double get_double();
  [[nodiscard]] std::string get_string();
  [[nodiscard]] std::optional<double> get_optional_double();
  [[nodiscard]] std::optional<int> get_optional_int();

 private:
  [[nodiscard]] std::span<const std::byte> take(std::size_t count);

  std::span<const std::byte> bytes_;
};

}  // namespace diarize
