--- Uploads rendered photos, for Publish and Export.
local LrApplication = import 'LrApplication'
local LrErrors = import 'LrErrors'
local LrFileUtils = import 'LrFileUtils'
local LrMD5 = import 'LrMD5'
local LrPathUtils = import 'LrPathUtils'
local LrStringUtils = import 'LrStringUtils'

local Base64 = require 'Base64'
local Config = require 'Config'
local Connection = require 'Connection'
local Identity = require 'Identity'
local Listing = require 'Listing'
local Projects = require 'Projects'
local RenderedFile = require 'RenderedFile'
local SignIn = require 'SignIn'
local Texts = require 'Texts'
local Tus = require 'Tus'

local PublishTask = {}

--- Seconds that a change of the catalog waits for others.
local WRITE_ACCESS = { timeout = 30 }
--- How often the same bytes may have gone to the trash.
local MAX_GONE = 10
--- A lack of space, in the workspace or at the service.
local NO_SPACE = { ['CW-606'] = true, ['CW-620'] = true }
local TYPES = {
  jpg = 'image/jpeg', jpeg = 'image/jpeg', png = 'image/png', tif = 'image/tiff', tiff = 'image/tiff',
  psd = 'image/vnd.adobe.photoshop', dng = 'image/x-adobe-dng', avif = 'image/avif', jxl = 'image/jxl',
  mp4 = 'video/mp4', mov = 'video/quicktime',
}

local function projectOf(exportContext)
  local choice = exportContext.propertyTable.cwProject
  local info = exportContext.publishedCollectionInfo
  if choice == 'none' or (choice == 'collection' and not info) then
    return nil
  elseif choice ~= 'collection' then
    return choice
  end
  local id, problem = Projects.forCollection(info.name, info.remoteId)
  if id then
    exportContext.exportSession:recordRemoteCollectionId(id)
  end
  return id, problem
end

--- Sends a file under an id that names its bytes, its place and what was there before. Returns the id of the upload, or
-- nil and an error.
local function send(file, name, target, at, digests, before)
  return Tus.upload {
    request = Connection.request,
    read = function(offset, length)
      return file:read(offset, length)
    end,
    size = file.size,
    crc = Base64.encode(digests.crc),
    metadata = Tus.metadata {
      filename = name,
      filetype = TYPES[LrStringUtils.lower(LrPathUtils.extension(name))] or 'application/octet-stream',
      client_upload_id = Identity.uploadId(target.uuid, LrMD5.digest(table.concat({
        digests.content, target.place, target.project or '', before,
      }, '|'))),
      project = target.project,
      document = Identity.document(target.uuid, target.place),
      version_by = target.isPublished and 'document' or nil,
      replaces = at and at.photo or nil,
    },
    sleep = Connection.sleep,
    isCancelled = target.isCancelled,
  }
end

--- Uploads one file. `at` is what is known of the photo in this place: `{ photo, upload }`, or nil.
-- Returns `{ photo, upload, page }`, or nil and an error.
local function upload(file, name, target, at)
  local crc, content = file:digest()
  if not crc then
    return nil, content
  end
  local before = at and at.upload or ''
  local problem
  for _ = 1, MAX_GONE do
    local id, uploaded
    id, problem = send(file, name, target, at, { crc = crc, content = content }, before)
    if not id then
      return nil, problem
    end
    uploaded, problem = Listing.get('/api/v1/uploads/' .. id)
    if uploaded then
      return { photo = uploaded.photo or id, upload = id, page = uploaded.page }
    elseif problem.status ~= 404 then
      return nil, problem
    end
    -- The service has had these bytes, and the user has moved them to the trash since.
    before = id
  end
  return nil, problem
end

--- Uploads the file of one rendition, and records where the photo is.
local function publish(rendition, path, target)
  local photo = rendition.photo
  local uploads = Identity.read(photo:getPropertyForPlugin(_PLUGIN, 'uploads'))
  local at = target.isPublished and uploads[target.place] or nil
  local remoteId = rendition.publishedPhotoId
  if target.isPublished and remoteId and not (at and at.photo == remoteId) then
    at = { photo = remoteId, upload = remoteId }
  elseif not remoteId then
    -- A photo that was removed from the collection and added again is found by its document.
    at = nil
  end
  target.uuid = photo:getRawMetadata('uuid')
  local file, unreadable = RenderedFile.open(path)
  if not file then
    return unreadable
  end
  local result, problem = upload(file, LrPathUtils.leafName(path), target, at)
  file:close()
  if not result then
    return problem
  end
  -- First Lightroom's record: without it the photo would be published again.
  if target.isPublished then
    rendition:recordPublishedPhotoId(result.photo)
    if type(result.page) == 'string' then
      rendition:recordPublishedPhotoUrl(result.page)
    end
  end
  uploads[target.place] = result
  LrApplication.activeCatalog():withPrivateWriteAccessDo(function()
    photo:setPropertyForPlugin(_PLUGIN, 'uploads', Identity.write(uploads))
  end, WRITE_ACCESS)
  return nil
end

--- Lightroom calls this in a task. Photos that fail stay marked for the next publish.
function PublishTask.run(_, exportContext)
  if not SignIn.ensure(Config.scope) then
    LrErrors.throwUserError(Texts.problem({ code = 'CW-201' }))
  end
  local progress = exportContext:configureProgress { title = Texts.get('uploading') }
  local project, noProject = projectOf(exportContext)
  local collection = exportContext.publishedCollection
  for _, rendition in exportContext:renditions { stopIfCanceled = true } do
    local isRendered, pathOrMessage = rendition:waitForRender()
    if not isRendered then
      rendition:uploadFailed(pathOrMessage)
    elseif noProject then
      rendition:uploadFailed(Texts.problem(noProject))
      LrFileUtils.delete(pathOrMessage)
    else
      local problem = publish(rendition, pathOrMessage, {
        project = project,
        place = collection and tostring(collection.localIdentifier) or 'export',
        isPublished = collection ~= nil,
        isCancelled = function()
          return progress:isCanceled()
        end,
      })
      LrFileUtils.delete(pathOrMessage)
      if problem and NO_SPACE[problem.code] then
        -- The service would refuse the others as well. They stay marked for the next publish, without a failure each.
        LrErrors.throwUserError(Texts.problem(problem))
      elseif problem then
        rendition:uploadFailed(Texts.problem(problem))
      end
    end
  end
end

return PublishTask
