"""The libraries as a Conan 2 package, built from the sources of this clone."""

from os.path import join
from re import search

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Heapsmith(ConanFile):
    name = "heapsmith"
    license = "MIT"
    description = "A family of memory allocators"
    topics = ("allocator", "malloc", "arena", "memory-pool")
    package_type = "shared-library"  # and the archives beside it
    settings = "os", "compiler", "build_type", "arch"
    no_copy_source = True

    def set_version(self):
        text = load(self, join(self.recipe_folder, "..", "..", "..", "CMakeLists.txt"))
        self.version = search(r"project\(heapsmith VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        root = join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*",
                        "lab/debuggers/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if (self.settings.os, self.settings.arch) not in (("Linux", "x86_64"), ("Linux", "armv8")):
            raise ConanInvalidConfiguration("this recipe is for Linux on x86-64 and aarch64")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # find_package finds heapsmith's own CMake package, which has every target.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [join("lib", "cmake", "heapsmith")]
        self.cpp_info.libs = ["heapsmith"]
