--- CRC-32C (RFC 9260 appendix A), by tables of bytes: Lua 5.1 has no operators on bits.
local Crc32c = {}

local POLYNOMIAL = 0x82F63B78

--- `xor[a * 256 + b]` of two bytes.
local xor = {}
for a = 0, 255 do
  for b = 0, 255 do
    local result, x, y, bit = 0, a, b, 1
    for _ = 1, 8 do
      if x % 2 ~= y % 2 then
        result = result + bit
      end
      x, y, bit = math.floor(x / 2), math.floor(y / 2), bit * 2
    end
    xor[a * 256 + b] = result
  end
end

local function xor32(a, b)
  local result, factor = 0, 1
  for _ = 1, 4 do
    result = result + xor[(a % 256) * 256 + b % 256] * factor
    a, b, factor = math.floor(a / 256), math.floor(b / 256), factor * 256
  end
  return result
end

--- The four bytes of the entry for each byte, the lowest first.
local table0, table1, table2, table3 = {}, {}, {}, {}
for byte = 0, 255 do
  local value = byte
  for _ = 1, 8 do
    local isOdd = value % 2 == 1
    value = math.floor(value / 2)
    if isOdd then
      value = xor32(value, POLYNOMIAL)
    end
  end
  table0[byte] = value % 256
  table1[byte] = math.floor(value / 0x100) % 256
  table2[byte] = math.floor(value / 0x10000) % 256
  table3[byte] = math.floor(value / 0x1000000)
end

--- The state before the first byte.
function Crc32c.new()
  return { 255, 255, 255, 255 }
end

--- Adds the bytes of a text to a state.
function Crc32c.update(state, text)
  local c0, c1, c2, c3 = state[1], state[2], state[3], state[4]
  local byte = string.byte
  for index = 1, #text do
    local entry = xor[c0 * 256 + byte(text, index)]
    c0 = xor[table0[entry] * 256 + c1]
    c1 = xor[table1[entry] * 256 + c2]
    c2 = xor[table2[entry] * 256 + c3]
    c3 = table3[entry]
  end
  state[1], state[2], state[3], state[4] = c0, c1, c2, c3
end

--- The four bytes of the digest, the highest first.
function Crc32c.bytes(state)
  return string.char(255 - state[4], 255 - state[3], 255 - state[2], 255 - state[1])
end

return Crc32c
