#include "io/sha256.h"

#include "core/error.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace diarize {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

void require(int result) {
  if (result != 1) throw std::runtime_error("OpenSSL has no SHA-256");
}

std::ifstream open(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, ignored)) {
    file.open(path, std::ios::binary);
  }
  if (!file.is_open()) {
    throw FatalError(path.string() + ": cannot be opened");
  }
  return file;
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  require(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
  std::vector<char> block(kBlockBytes);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    require(EVP_DigestUpdate(context.get(), block.data(),
                             static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) throw FatalError(path.string() + ": cannot be read");
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr));
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace diarize
