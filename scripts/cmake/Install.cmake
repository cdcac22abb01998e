# `cmake --install build/release --prefix DIR`: the program, the default
# weights where they are fetched, and the libraries with their headers and a
# package file for find_package(diarize).
#
# LibTorch is not copied: the program finds it where it was built against it.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(diarize PROPERTIES
  INSTALL_RPATH ${LIBTORCH_ROOT}/lib
  # CMake pads a build path of its own with an empty entry, which is the
  # current folder.
  BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS diarize diarize-decode)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY models/default
  DESTINATION ${CMAKE_INSTALL_DATADIR}/diarize/models OPTIONAL)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/diarize)
foreach(name audio core io nn)
  set_target_properties(diarize_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS
  diarize_audio diarize_core diarize_io diarize_nn diarize_flags
  EXPORT diarize
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/diarize)
install(EXPORT diarize
  FILE diarizeTargets.cmake
  NAMESPACE diarize::
  DESTINATION ${package_folder})
install(DIRECTORY core io
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/diarize
  FILES_MATCHING PATTERN "*.h")
configure_package_config_file(
  scripts/cmake/diarizeConfig.cmake.in ${PROJECT_BINARY_DIR}/diarizeConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/diarizeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/diarizeConfig.cmake
  ${PROJECT_BINARY_DIR}/diarizeConfigVersion.cmake
  scripts/cmake/FindLibTorch.cmake
  DESTINATION ${package_folder})
