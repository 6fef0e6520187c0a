// Stands in for the header of an operating system that libstdc++ asks for: a bare target has none.
#pragma once
