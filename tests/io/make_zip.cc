#include "tests/io/make_zip.h"

#include <zip.h>

#include <stdexcept>

namespace diarize::test {

void make_zip(const std::filesystem::path& path,
              const std::vector<ZipContent>& contents,
              Compression compression) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) throw std::runtime_error("zip_open failed");
  for (const ZipContent& content : contents) {
    zip_source_t* source = zip_source_buffer(archive, content.bytes.data(),
                                             content.bytes.size(), 0);
    const auto index =
        zip_file_add(archive, content.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) throw std::runtime_error("zip_file_add failed");
    zip_set_file_compression(
        archive, static_cast<zip_uint64_t>(index),
        compression == Compression::kStored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("zip_close failed");
}

std::string npy_bytes(const std::string& dictionary, const std::string& data) {
  const std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

}  // namespace diarize::test
