# Debian on another processor, PORTAIL_PROCESSOR: clang and lld, with Debian's libraries for it, which `tools/dev elsewhere` installs in
# build/elsewhere. The results run under qemu's user-mode emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${PORTAIL_PROCESSOR}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PORTAIL_PROCESSOR)
set(triple "${PORTAIL_PROCESSOR}-linux-gnu")
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH sysroot)
cmake_path(GET sysroot PARENT_PATH sysroot)
set(CMAKE_SYSROOT "${sysroot}/build/elsewhere/${PORTAIL_PROCESSOR}")

foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${triple})
endforeach()
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_STRIP llvm-strip-19)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${PORTAIL_PROCESSOR};-L;${CMAKE_SYSROOT}")

# Programs are found on this machine, libraries in the sysroot.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/${triple}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
