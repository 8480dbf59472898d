--- A rendered file, read in parts, so that memory does not grow with its size.
local LrFileUtils = import 'LrFileUtils'
local LrMD5 = import 'LrMD5'
local LrTasks = import 'LrTasks'

local Answers = require 'Answers'
local Crc32c = require 'Crc32c'

local RenderedFile = {}
RenderedFile.__index = RenderedFile

--- Lightroom stays responsive between parts of this length. Bytes.
local PART_BYTES = 64 * 1024
--- `io` cannot open every path on Windows. Such a file is read whole, up to this length.
local MAX_WHOLE_BYTES = 256 * 1024 * 1024

--- Opens a file. Returns nil and CW-602 when it cannot be read or is empty.
function RenderedFile.open(path)
  local self = setmetatable({ path = path }, RenderedFile)
  self.handle = io.open(path, 'rb')
  if self.handle then
    self.size = self.handle:seek('end')
  else
    local attributes = LrFileUtils.fileAttributes(path)
    if attributes and attributes.fileSize and attributes.fileSize <= MAX_WHOLE_BYTES then
      local isGood, text = LrTasks.pcall(LrFileUtils.readFile, path)
      self.text = isGood and text or nil
      self.size = self.text and #self.text
    end
  end
  if not self.size or self.size == 0 then
    self:close()
    return nil, Answers.error('CW-602')
  end
  return self
end

--- Reads `length` bytes from `offset`, 0 for the first. Returns nil and CW-602 when they are not there.
function RenderedFile:read(offset, length)
  local text
  if self.text then
    text = string.sub(self.text, offset + 1, offset + length)
  elseif self.handle:seek('set', offset) then
    text = self.handle:read(length)
  end
  if not text or #text ~= length then
    return nil, Answers.error('CW-602')
  end
  return text
end

--- Reads the whole file once. Returns its CRC-32C as four bytes, and a text that names its content.
function RenderedFile:digest()
  local crc = Crc32c.new()
  local name = ''
  local offset = 0
  while offset < self.size do
    local part, problem = self:read(offset, math.min(PART_BYTES, self.size - offset))
    if not part then
      return nil, problem
    end
    Crc32c.update(crc, part)
    name = LrMD5.digest(name .. LrMD5.digest(part))
    offset = offset + #part
    LrTasks.yield()
  end
  return Crc32c.bytes(crc), name
end

function RenderedFile:close()
  if self.handle then
    self.handle:close()
    self.handle = nil
  end
end

return RenderedFile
