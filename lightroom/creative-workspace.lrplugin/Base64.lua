--- Base64 (RFC 4648 section 4). Nothing documents what the SDK's own function does with a zero byte.
local ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

local function letter(number)
  return string.sub(ALPHABET, number + 1, number + 1)
end

--- Encodes a text of any bytes.
local function encode(text)
  local parts = {}
  for at = 1, #text, 3 do
    local a, b, c = string.byte(text, at, at + 2)
    local number = a * 0x10000 + (b or 0) * 0x100 + (c or 0)
    parts[#parts + 1] = letter(math.floor(number / 0x40000))
      .. letter(math.floor(number / 0x1000) % 64)
      .. (b and letter(math.floor(number / 0x40) % 64) or '=')
      .. (c and letter(number % 64) or '=')
  end
  return table.concat(parts)
end

return { encode = encode }
