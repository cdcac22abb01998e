// Times centroid_linkage on points from a file and writes the dendrogram, for
// scripts/benchmarks/clustering.
//
// usage: bench_centroid_linkage POINTS.f32 DIMENSION TREE.f64
//
// POINTS.f32 holds rows of DIMENSION float32; TREE.f64 gets rows of four
// float64 as scipy's linkage matrix. Prints the seconds of the linkage alone
// and the peak memory of the process in MB.

#include "core/clustering/centroid_linkage.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "scripts/benchmarks/peak_memory.h"

namespace {

diarize::Array<float, 2> read_points(const char* path, std::size_t dimension) {
  const std::size_t num_points =
      std::filesystem::file_size(path) / (dimension * sizeof(float));
  diarize::Array<float, 2> points({num_points, dimension});
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(points.data()),
            static_cast<std::streamsize>(points.values().size_bytes()));
  return points;
}

void write_tree(const char* path, const diarize::Dendrogram& tree) {
  std::ofstream file(path, std::ios::binary);
  for (const diarize::Merge& merge : tree) {
    const double row[4] = {static_cast<double>(merge.first),
                           static_cast<double>(merge.second), merge.distance,
                           static_cast<double>(merge.size)};
    file.write(reinterpret_cast<const char*>(row), sizeof(row));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr
        << "usage: bench_centroid_linkage POINTS.f32 DIMENSION TREE.f64\n";
    return 2;
  }
  diarize::Array<float, 2> points =
      read_points(argv[1], std::strtoul(argv[2], nullptr, 10));
  const auto start = std::chrono::steady_clock::now();
  const diarize::Dendrogram tree = diarize::centroid_linkage(std::move(points));
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  write_tree(argv[3], tree);
  std::cout << elapsed.count() << " " << diarize::bench::peak_megabytes()
            << "\n";
  return 0;
}
