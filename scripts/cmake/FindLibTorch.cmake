# Finds LibTorch in LIBTORCH_ROOT, the folder `torch` of the pip package.
#
# Targets: LibTorch::cpu and, in a CUDA package, LibTorch::cuda. torch's own
# package file is not used: it asks for a whole CUDA toolkit when the package
# is a CUDA build, and adds run path entries that nobody needs.

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h
  HINTS ${LIBTORCH_ROOT}/include NO_DEFAULT_PATH)
foreach(lib c10 torch_cpu torch_cuda c10_cuda)
  find_library(LibTorch_${lib}_LIBRARY ${lib}
    HINTS ${LIBTORCH_ROOT}/lib NO_DEFAULT_PATH)
  mark_as_advanced(LibTorch_${lib}_LIBRARY)
endforeach()
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS ${LibTorch_INCLUDE_DIR}/${header})
    file(STRINGS ${LibTorch_INCLUDE_DIR}/${header} lines
      REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
    string(REPLACE ";" "." LibTorch_VERSION "${lines}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_torch_cpu_LIBRARY LibTorch_c10_LIBRARY
    LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES
    IMPORTED_LOCATION ${LibTorch_c10_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LibTorch_INCLUDE_DIR})
  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    IMPORTED_LOCATION ${LibTorch_torch_cpu_LIBRARY}
    INTERFACE_LINK_LIBRARIES LibTorch::c10)
  if(LibTorch_torch_cuda_LIBRARY)
    add_library(LibTorch::cuda SHARED IMPORTED)
    set_target_properties(LibTorch::cuda PROPERTIES
      IMPORTED_LOCATION ${LibTorch_torch_cuda_LIBRARY}
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LibTorch_c10_cuda_LIBRARY}")
  endif()
endif()
