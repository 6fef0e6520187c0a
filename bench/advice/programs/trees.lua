-- Trees, tables and strings: what an interpreter allocates.
local function tree(depth)
  if depth == 0 then return {} end
  return { tree(depth - 1), tree(depth - 1) }
end
local function count(t) if t[1] then return 1 + count(t[1]) + count(t[2]) end return 1 end
local n = 0
for i = 1, 40 do n = n + count(tree(13)) end
local words = {}
for i = 1, 300000 do words[#words + 1] = "word " .. (i * 7919 % 100003) end
table.sort(words)
local seen = {}
for _, w in ipairs(words) do seen[w] = (seen[w] or 0) + 1 end
local k = 0
for _ in pairs(seen) do k = k + 1 end
print(n, k)
