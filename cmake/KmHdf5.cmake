# km::hdf5: libhdf5.a in installed programs, where it links without the libraries that only its S3 driver wants; else libhdf5.so.
# The shared one brings libcurl, Kerberos and LDAP along, which take 10 ms to load: half of the time of a small input.
option(KM_STATIC_HDF5 "Link libhdf5.a into the programs where that works" ON)
find_library(KM_HDF5_ARCHIVE NAMES libhdf5.a libhdf5_serial.a HINTS ${KM_hdf5_LIBRARY_DIRS} NO_CACHE)
set(archive_needs sz z dl m)
if(KM_STATIC_HDF5 AND KM_HDF5_ARCHIVE)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${KM_hdf5_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${KM_HDF5_ARCHIVE} ${archive_needs})
  check_c_source_compiles("#include <hdf5.h>
    int main(void) { return H5open() < 0 || H5Fcreate(\"x\", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0; }"
    KM_HDF5_STATIC_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
add_library(km_hdf5 INTERFACE)
add_library(km::hdf5 ALIAS km_hdf5)
target_include_directories(km_hdf5 INTERFACE ${KM_hdf5_INCLUDE_DIRS})
if(KM_STATIC_HDF5 AND KM_HDF5_STATIC_LINKS)
  set(program $<BOOL:$<TARGET_PROPERTY:KM_PROGRAM>>) # of the target that is linked
  target_link_libraries(km_hdf5 INTERFACE "$<IF:${program},${KM_HDF5_ARCHIVE};${archive_needs},PkgConfig::KM_hdf5>")
else()
  target_link_libraries(km_hdf5 INTERFACE PkgConfig::KM_hdf5)
endif()
