--- JSON (RFC 8259). Lightroom has no documented functions for it.
local Json = {}

--- `null` as an element of an array. A member of an object that is null is left out.
Json.null = setmetatable({}, { __tostring = function() return 'null' end })

local MAX_DEPTH = 64
local ESCAPES = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }

--- Encodes a code point as UTF-8.
local function utf8(code)
  if code < 0x80 then
    return string.char(code)
  elseif code < 0x800 then
    return string.char(0xC0 + math.floor(code / 0x40), 0x80 + code % 0x40)
  elseif code < 0x10000 then
    return string.char(0xE0 + math.floor(code / 0x1000), 0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
  end
  return string.char(
    0xF0 + math.floor(code / 0x40000),
    0x80 + math.floor(code / 0x1000) % 0x40,
    0x80 + math.floor(code / 0x40) % 0x40,
    0x80 + code % 0x40
  )
end

local decodeValue

local function skip(text, at)
  return string.find(text, '[^ \t\r\n]', at) or #text + 1
end

local function fail(at)
  error({ json = at })
end

--- Decodes the escape behind the backslash at `at`. Returns its text, and the index behind it.
local function decodeEscape(text, at)
  local letter = string.sub(text, at + 1, at + 1)
  if letter ~= 'u' then
    return ESCAPES[letter] or fail(at), at + 2
  end
  local high = tonumber(string.match(text, '^%x%x%x%x', at + 2) or fail(at), 16)
  if high >= 0xD800 and high <= 0xDBFF then
    local low = tonumber(string.match(text, '^\\u(%x%x%x%x)', at + 6) or '0', 16)
    if low >= 0xDC00 and low <= 0xDFFF then
      return utf8(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00), at + 12
    end
  end
  if high >= 0xD800 and high <= 0xDFFF then
    high = 0xFFFD
  end
  return utf8(high), at + 6
end

local function decodeString(text, at)
  local parts = {}
  local from = at + 1
  while true do
    local stop = string.find(text, '["\\%c]', from) or fail(at)
    parts[#parts + 1] = string.sub(text, from, stop - 1)
    local letter = string.sub(text, stop, stop)
    if letter == '"' then
      return table.concat(parts), stop + 1
    elseif letter ~= '\\' then
      fail(stop)
    end
    parts[#parts + 1], from = decodeEscape(text, stop)
  end
end

local function decodeArray(text, at, depth)
  local array = {}
  at = skip(text, at + 1)
  if string.sub(text, at, at) == ']' then
    return array, at + 1
  end
  while true do
    local value
    value, at = decodeValue(text, at, depth)
    array[#array + 1] = value == nil and Json.null or value
    at = skip(text, at)
    local letter = string.sub(text, at, at)
    if letter == ']' then
      return array, at + 1
    elseif letter ~= ',' then
      fail(at)
    end
    at = skip(text, at + 1)
  end
end

local function decodeObject(text, at, depth)
  local object = {}
  at = skip(text, at + 1)
  if string.sub(text, at, at) == '}' then
    return object, at + 1
  end
  while true do
    if string.sub(text, at, at) ~= '"' then
      fail(at)
    end
    local name
    name, at = decodeString(text, at)
    at = skip(text, at)
    if string.sub(text, at, at) ~= ':' then
      fail(at)
    end
    object[name], at = decodeValue(text, skip(text, at + 1), depth)
    at = skip(text, at)
    local letter = string.sub(text, at, at)
    if letter == '}' then
      return object, at + 1
    elseif letter ~= ',' then
      fail(at)
    end
    at = skip(text, at + 1)
  end
end

local WORDS = { ['true'] = true, ['false'] = false }

function decodeValue(text, at, depth)
  if depth > MAX_DEPTH then
    fail(at)
  end
  local letter = string.sub(text, at, at)
  if letter == '"' then
    return decodeString(text, at)
  elseif letter == '{' then
    return decodeObject(text, at, depth + 1)
  elseif letter == '[' then
    return decodeArray(text, at, depth + 1)
  end
  local word = string.match(text, '^%l+', at)
  if word ~= nil then
    if word ~= 'null' and WORDS[word] == nil then
      fail(at)
    end
    return WORDS[word], at + #word
  end
  local number = string.match(text, '^-?%d+%.?%d*[eE]?[-+]?%d*', at) or fail(at)
  return tonumber(number) or fail(at), at + #number
end

--- Reads a JSON text. Returns nil when it is malformed, or when it is `null`.
function Json.decode(text)
  if type(text) ~= 'string' then
    return nil
  end
  local isGood, value, at = pcall(function()
    return decodeValue(text, skip(text, 1), 0)
  end)
  if not isGood or skip(text, at) <= #text then
    return nil
  end
  return value
end

--- Reads a JSON text that is an object. Returns nil for anything else.
function Json.decodeObject(text)
  local value = Json.decode(text)
  return type(value) == 'table' and string.find(text, '^%s*{') and value or nil
end

local function encodeString(text)
  return '"' .. string.gsub(text, '[%c"\\]', function(letter)
    return string.format('\\u%04x', string.byte(letter))
  end) .. '"'
end

--- Writes a value as JSON: strings, booleans, whole numbers, objects with sorted members, arrays that are not empty.
function Json.encode(value)
  local kind = type(value)
  if kind == 'string' then
    return encodeString(value)
  elseif kind == 'number' then
    return string.format('%.0f', value)
  elseif kind ~= 'table' or value == Json.null then
    return tostring(value)
  end
  local parts = {}
  if value[1] ~= nil then
    for index, element in ipairs(value) do
      parts[index] = Json.encode(element)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  local names = {}
  for name in pairs(value) do
    names[#names + 1] = name
  end
  table.sort(names)
  for index, name in ipairs(names) do
    parts[index] = encodeString(name) .. ':' .. Json.encode(value[name])
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

return Json
