--- One resumable upload (tus 1.0.0, https://tus.io/protocols/resumable-upload). LrHttp has no documented way to read the
-- offset with HEAD, so the creation is repeated instead: the service answers it with the present offset, because the
-- `client_upload_id` is the same (`client-upload-id` in docs/http-api.md).
local Answers = require 'Answers'
local Base64 = require 'Base64'

local Tus = {}

--- Bytes of one request. A whole body is in memory.
local CHUNK_BYTES = 4 * 1024 * 1024
local MIN_CHUNK_BYTES = 64 * 1024
--- How often in a row a request may bring the upload no further.
local MAX_STALLS = 6

local REFUSALS = {
  [413] = 'CW-604',
  [415] = 'CW-605',
  [507] = 'CW-606',
  [460] = 'CW-306',
  [401] = 'CW-202',
  [403] = 'CW-203',
}

--- The error for a final refusal of a tus request.
function Tus.refusal(response)
  local code = REFUSALS[response.status] or 'CW-603'
  local problem = Answers.failure(response, code)
  if problem.oauth == 'unknown_project' then
    problem.code = 'CW-612'
  elseif response.status == 507 and problem.oauth == 'insufficient_disk_space' then
    problem.code = 'CW-620'
  end
  return problem
end

--- `Upload-Metadata`: sorted pairs, values in base64. Values that are nil are left out.
function Tus.metadata(values)
  local fields = {}
  for name, value in pairs(values) do
    fields[#fields + 1] = name .. ' ' .. Base64.encode(value)
  end
  table.sort(fields)
  return table.concat(fields, ',')
end

local function offsetOf(response, size)
  local offset = tonumber(string.match(response.header('Upload-Offset') or '', '^%d+$'))
  return offset and offset <= size and offset or nil
end

--- The id and the path of the upload, from `Location`, which must be below the collection.
local function addressOf(response, collection)
  local location = response.header('Location') or ''
  local path = string.match(location, '^https?://[^/]+(/.*)$') or location
  local id = string.sub(path, 1, #collection + 1) == collection .. '/' and string.sub(path, #collection + 2) or ''
  if string.find(id, '^[%w_-]+$') then
    return id, path
  end
end

--- The CRC-32C of `Repr-Digest` (RFC 9530), in base64, or nil.
local function crcOf(response)
  return string.match(response.header('Repr-Digest') or '', 'crc32c=:([%w+/=]+):')
end

local function create(options, collection)
  local response, problem = options.request {
    method = 'POST',
    path = collection,
    headers = {
      ['Tus-Resumable'] = '1.0.0',
      ['Upload-Length'] = string.format('%.0f', options.size),
      ['Upload-Metadata'] = options.metadata,
    },
    isCancelled = options.isCancelled,
  }
  if not response then
    return nil, problem
  elseif response.status ~= 201 then
    return nil, Tus.refusal(response)
  end
  local id, path = addressOf(response, collection)
  if not id then
    return nil, Answers.error('CW-305')
  end
  return { id = id, path = path, offset = offsetOf(response, options.size) or 0, crc = crcOf(response) }
end

--- Sends the bytes at the offset of `upload`. Returns true when the service confirmed some; else nil and an error, which
-- is transient when the offset has to be read again.
local function sendChunk(options, upload, length)
  local body, problem = options.read(upload.offset, length)
  if not body then
    return nil, problem
  end
  local isLast = upload.offset + length == options.size
  local response, lost = options.request {
    method = 'PATCH',
    path = upload.path,
    headers = {
      ['Tus-Resumable'] = '1.0.0',
      ['Upload-Offset'] = string.format('%.0f', upload.offset),
      ['Content-Type'] = 'application/offset+octet-stream',
      -- The service compares what it stored before the photo appears.
      ['Repr-Digest'] = isLast and 'crc32c=:' .. options.crc .. ':' or nil,
    },
    body = body,
    isCancelled = options.isCancelled,
    -- A repeated chunk would be at a wrong offset.
    isSingle = true,
  }
  if not response then
    return nil, lost
  end
  local status = response.status
  if status == 404 or status == 409 or status == 410 or status == 423 then
    return nil, { code = 'CW-305', status = status, isTransient = true }
  elseif status == 413 and length > MIN_CHUNK_BYTES then
    return nil, { code = 'CW-604', status = status, isTransient = true, isTooLong = true }
  elseif not Answers.isSuccess(response) then
    return nil, Tus.refusal(response)
  end
  local offset = offsetOf(response, options.size)
  if not offset or offset < upload.offset then
    return nil, { code = 'CW-305', status = status, isTransient = true }
  end
  local hasProgress = offset > upload.offset
  upload.offset, upload.crc = offset, crcOf(response)
  return hasProgress, not hasProgress and { code = 'CW-305', status = status, isTransient = true } or nil
end

--- Uploads until the service has confirmed the last byte. `options`: `request` (Connection.request),
-- `read(offset, length)`, `size`, `crc` in base64, `metadata` for the header, `sleep`, `isCancelled()`.
-- Returns the id of the upload, or nil and an error: CW-306 the service holds other bytes, CW-602 the file cannot be
-- read, CW-603 to CW-606, CW-612 and CW-620 refusals, else one of the connection.
function Tus.upload(options)
  local collection = '/api/v1/uploads'
  local chunk = CHUNK_BYTES
  local upload, problem
  local stalls = 0
  while true do
    if options.isCancelled() then
      return nil, { code = 'CW-301', isCancelled = true }
    end
    if not upload then
      upload, problem = create(options, collection)
      if not upload then
        return nil, problem
      end
    end
    if upload.offset == options.size then
      if upload.crc and upload.crc ~= options.crc then
        return nil, Answers.error('CW-306')
      end
      return upload.id
    end
    local hasProgress, failure = sendChunk(options, upload, math.min(chunk, options.size - upload.offset))
    if hasProgress then
      stalls = 0
    else
      if not failure.isTransient then
        return nil, failure
      end
      stalls = stalls + 1
      if stalls > MAX_STALLS then
        return nil, failure
      end
      if failure.isTooLong then
        chunk = math.max(MIN_CHUNK_BYTES, math.floor(chunk / 2))
      else
        options.sleep(math.max(math.min(2 ^ (stalls - 1), 15), failure.retryAfter or 0), options.isCancelled)
      end
      upload = nil
    end
  end
end

return Tus
