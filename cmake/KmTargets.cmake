# One way to declare a room (library), a program and a test.

# km_add_library(NAME SOURCES a.c b.c [PUBLIC targets…] [PRIVATE targets…]): the library km_NAME of lib/NAME, whose
# public headers are in lib/NAME/include/kifumill. A header of a library that is not linked does not compile.
function(km_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(km_${name} STATIC ${ARG_SOURCES})
  target_include_directories(km_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(km_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY KM_LIBRARIES km_${name})
  install(DIRECTORY include/kifumill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# km_add_program(NAME SOURCES … LINK …): an installed program.
function(km_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin KM_PROGRAM ON)
  set_property(GLOBAL APPEND PROPERTY KM_PROGRAMS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# km_add_test(NAME SOURCES … LINK …): a cmocka test program, run by ctest from the source folder, so that
# tests/golden and tests/cases are found by relative name.
function(km_add_test name)
  if(NOT KM_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} km::cmocka)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-bin)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# km_add_benchmark(NAME SOURCES … LINK …): a program of benchmarks/, not installed.
function(km_add_benchmark name)
  if(NOT KM_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench-bin)
endfunction()
