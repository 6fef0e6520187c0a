-- The default program of `./dev try`. It indexes texts: each word with the lines it stands in, and
-- how often each pair of neighbouring words occurs. Then it prints the commonest words and pairs.
local index, pairs_seen, lines = {}, {}, 0

for _, path in ipairs(arg) do
  local name = path:match("[^/]+$")
  local number, previous = 0, nil
  for line in io.lines(path) do
    number = number + 1
    lines = lines + 1
    for word in line:lower():gmatch("%a+") do
      local places = index[word]
      if not places then
        places = {}
        index[word] = places
      end
      places[#places + 1] = { file = name, line = number, text = name .. ":" .. number }
      if previous then
        local pair = previous .. " " .. word
        pairs_seen[pair] = (pairs_seen[pair] or 0) + 1
      end
      previous = word
    end
  end
end

local function commonest(counts)
  local keys = {}
  for key in pairs(counts) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return table.concat(keys, ", ", 1, math.min(5, #keys)), #keys
end

local counts = {}
for word, places in pairs(index) do counts[word] = #places end
print(lines .. " lines")
print("words:", commonest(counts))
print("pairs:", commonest(pairs_seen))
