# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The CUDA back end of src/device, where nvcc is found (docs/gpu.md).  MOREAU_CUDA: auto builds it
# where there is a compiler for it, on asks for it, off leaves it out.  The program then runs on
# machines without a GPU too: the CUDA runtime is linked statically and asked at run time.
string(TOLOWER "${MOREAU_CUDA}" cuda_wanted)
if(NOT cuda_wanted MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "MOREAU_CUDA is ${MOREAU_CUDA}; it may be auto, on or off.")
endif()

set(MOREAU_HAS_CUDA OFF)
if(NOT cuda_wanted STREQUAL "off" AND MOREAU_SHARED)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # Older GPUs get the PTX of the oldest that nvcc knows; 70 is the first with grid constants.
      execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known
                      ERROR_QUIET)
      string(REGEX MATCH "compute_([0-9]+)" known "${known}")
      set(CMAKE_CUDA_ARCHITECTURES 80 90)
      if(CMAKE_MATCH_1 AND CMAKE_MATCH_1 LESS 70)
        list(PREPEND CMAKE_CUDA_ARCHITECTURES 70-virtual)
      elseif(CMAKE_MATCH_1 AND CMAKE_MATCH_1 LESS 80)
        list(PREPEND CMAKE_CUDA_ARCHITECTURES ${CMAKE_MATCH_1}-virtual)
      endif()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(MOREAU_HAS_CUDA ON)
  endif()
endif()
if(cuda_wanted STREQUAL "on" AND NOT MOREAU_HAS_CUDA)
  message(FATAL_ERROR "MOREAU_CUDA=on needs nvcc on the PATH (or CMAKE_CUDA_COMPILER) and a shared"
                      " library.")
endif()

# moreau_add_cuda(TARGET SOURCE...): an object library that fuses no products and sums.
function(moreau_add_cuda target)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    CUDA_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>)
  target_include_directories(${target}
    PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
endfunction()
