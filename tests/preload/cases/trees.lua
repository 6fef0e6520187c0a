-- Creates and drops trees, buffers, closures and coroutines, and prints sums and counts only.
local state = 42
local function random(bound)
  state = (state * 1103515245 + 12345) % 2147483648
  return (state >> 8) % bound + 1
end

local function tree(depth)
  if depth == 0 then return { name = "leaf" .. random(1000) } end
  return { tree(depth - 1), tree(depth - 1), name = string.rep("n", random(60)) }
end

local function measure(node)
  local nodes, bytes = 1, #node.name
  for _, child in ipairs(node) do
    local n, b = measure(child)
    nodes, bytes = nodes + n, bytes + b
  end
  return nodes, bytes
end

for _, mode in ipairs { "incremental", "generational" } do
  collectgarbage(mode)
  for depth = 4, 14, 2 do print(mode, depth, measure(tree(depth))) end

  local parts, keep = {}, {}
  for i = 1, 100000 do
    parts[#parts + 1] = string.format("%d:%s;", i, string.rep("x", random(12)))
    if i % 10 == 0 then keep[random(500)] = table.concat(parts, "", #parts - 9) end
  end
  local text = table.concat(parts)
  local _, semicolons = text:gsub(";", ",")
  print("text", #text, semicolons, #text:upper():reverse())

  local kept = 0
  for slot = 1, 500 do kept = kept + #(keep[slot] or "") end
  print("kept", kept)

  local total = 0
  for _ = 1, 5000 do
    local step = coroutine.wrap(function()
      local mine = {}
      for i = 1, 5 do
        mine[i] = random(100)
        coroutine.yield(mine[i])
      end
    end)
    for _ = 1, random(5) do total = total + step() end
  end
  print("coroutines", total)

  local numbers = {}
  for i = 1, 50000 do numbers[i] = random(1 << 20) end
  table.sort(numbers)
  print("sorted", numbers[1], numbers[25000], numbers[50000])
end

local finalized = 0
for _ = 1, 20000 do setmetatable({}, { __gc = function() finalized = finalized + 1 end }) end
collectgarbage()
collectgarbage()
print("finalized", finalized)
