"""Builds and runs the programs of tests/consume/package with the Conan package."""

from os.path import join

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class TestHeapsmith(ConanFile):
    settings = "os", "compiler", "build_type", "arch"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LANGUAGE"] = "CXX"
        toolchain.generate()

    def build(self):
        root = join(self.source_folder, "..", "..", "..", "..")
        programs = join(root, "tests", "consume", "package")
        cmake = CMake(self)
        cmake.configure(build_script_folder=programs)
        cmake.build()

    def test(self):
        if can_run(self):
            self.run("ctest --output-on-failure --no-tests=error", cwd=self.build_folder)
