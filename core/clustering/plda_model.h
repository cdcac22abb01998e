#pragma once

#include "core/array.h"

namespace diarize {

// What turns an embedding into PLDA features: a discriminant transform and a
// PLDA model (BUT Speech@FIT, VBx). D: embedding dimension, d: feature
// dimension. Values of files in float32 are widened.
struct PldaModel {
  Array<double, 1> mean1;  // (D) of embeddings
  Array<double, 1> mean2;  // (d) of transformed embeddings
  Array<double, 2> lda;    // (D, d)
  Array<double, 1> mu;     // (d) of the PLDA
  Array<double, 2> tr;     // (d, d) diagonalises within and between speakers
  Array<double, 1> psi;    // (d) between-speaker variances in that basis
};

}  // namespace diarize
