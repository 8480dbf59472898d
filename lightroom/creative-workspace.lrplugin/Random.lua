--- Random texts. The SDK documents no source of randomness, so texts are made from what others cannot read: bytes of the
-- system where they can be read, the time, addresses in memory, and all texts before.
local LrDate = import 'LrDate'
local LrMD5 = import 'LrMD5'

local Base64 = require 'Base64'

local Random = {}

local pool = ''
local count = 0

local function systemBytes()
  local file = io.open('/dev/urandom', 'rb')
  if not file then
    return ''
  end
  local bytes = file:read(32) or ''
  file:close()
  return bytes
end

--- 32 bytes in base64url, with `secret` mixed in.
function Random.text(secret)
  local digits = ''
  while #digits < 64 do
    count = count + 1
    pool = LrMD5.digest(table.concat({
      pool, systemBytes(), string.format('%.6f', LrDate.currentTime()), tostring({}), tostring(count), secret or '',
    }, '|'))
    -- What is returned does not reveal the pool.
    digits = digits .. LrMD5.digest(pool .. '>')
  end
  local bytes = string.gsub(digits, '%x%x', function(pair)
    return string.char(tonumber(pair, 16))
  end)
  return (string.gsub(Base64.encode(bytes), '[+/=]', { ['+'] = '-', ['/'] = '_', ['='] = '' }))
end

return Random
