--- How a photo of the catalog is found again at the service, and the other way round. Pure functions.
local Identity = {}

local UUID_LENGTH = 36

--- The identity of a photo in one published collection, as `document` of its uploads. `#` ends what names the photo.
function Identity.document(uuid, place)
  return 'lr:' .. uuid .. '#' .. place
end

--- The `client_upload_id` of an upload: the photo, and a digest of everything that makes this upload another one. The
-- same rendered bytes after the same upload have the same id, so that a lost answer or a crash makes no second upload.
function Identity.uploadId(uuid, digest)
  return string.sub(uuid, 1, UUID_LENGTH) .. '_' .. string.sub(digest, 1, 63 - math.min(#uuid, UUID_LENGTH))
end

--- The photo of the catalog that an upload of this plug-in was made from, by its `client_upload_id`; nil for others.
function Identity.uuidOf(uploadId)
  local uuid = string.match(uploadId or '', '^([%x-]+)_%x+$')
  return uuid and #uuid == UUID_LENGTH and uuid or nil
end

--- Reads the plug-in's field `uploads`: by place, `{ photo, upload }`.
function Identity.read(text)
  local uploads = {}
  for place, photo, upload in string.gmatch(text or '', '([^%s=]+)=([^%s/]+)/(%S+)') do
    uploads[place] = { photo = photo, upload = upload }
  end
  return uploads
end

--- Writes the field `uploads`, sorted.
function Identity.write(uploads)
  local parts = {}
  for place, at in pairs(uploads) do
    parts[#parts + 1] = place .. '=' .. at.photo .. '/' .. at.upload
  end
  table.sort(parts)
  return table.concat(parts, ' ')
end

return Identity
