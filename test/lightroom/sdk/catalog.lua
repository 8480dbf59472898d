--- The catalog of the simulated SDK: photos, collections, published collections, write access with its steps of undo,
-- and the export of photos to the plug-in.

local state, strict, expect = sdk.state, sdk.strict, sdk.expect

state.photos = {}
state.collections = {}
state.published = {}
state.undo = {}
state.nextId = 100

local LABELS = { red = true, yellow = true, green = true, blue = true, purple = true, none = true }
local RAW_KEYS = { rating = true, colorNameForLabel = true, uuid = true, isVirtualCopy = true, path = true, pickStatus = true }
--- A searchable text has 511 bytes at most.
local MAX_FIELD_BYTES = 511

--- Raises an error outside of a gate. A private gate is enough for fields of the plug-in.
local function needWriteAccess(isPrivateEnough)
  if state.writeAccess ~= 'full' and not (isPrivateEnough and state.writeAccess) then
    error('needs to be called inside of catalog:withWriteAccessDo', 3)
  end
end

local function change(undo)
  local step = state.step
  step[#step + 1] = undo
end

local function newId()
  state.nextId = state.nextId + 1
  return state.nextId
end

----------------------------------------------------------------------------------------------------------------- photos

local function newPhoto(values)
  local fields = {}
  local photo = { localIdentifier = newId() }

  function photo.getRawMetadata(_, key)
    if not RAW_KEYS[key] then
      error('getRawMetadata has no key ' .. tostring(key), 2)
    end
    return values[key]
  end

  function photo.getFormattedMetadata(_, key)
    if key ~= 'fileName' then
      error('getFormattedMetadata has no key ' .. tostring(key), 2)
    end
    return values.fileName
  end

  function photo.setRawMetadata(_, key, value)
    needWriteAccess(false)
    if key == 'rating' then
      if value ~= nil and (type(value) ~= 'number' or value < 1 or value > 5 or value % 1 ~= 0) then
        error('invalid rating', 2)
      end
    elseif key == 'colorNameForLabel' then
      if not LABELS[value] then
        error('invalid label', 2)
      end
    elseif key == 'pickStatus' then
      if value ~= 1 and value ~= 0 and value ~= -1 then
        error('invalid pickStatus', 2)
      end
    else
      error('setRawMetadata has no key ' .. tostring(key), 2)
    end
    local before = values[key]
    values[key] = value
    change(function() values[key] = before end)
  end

  function photo.getPropertyForPlugin(_, plugin, key)
    if plugin ~= sdk.plugin or not sdk.fieldIds()[key] then
      error('the plug-in declares no field ' .. tostring(key), 2)
    end
    return fields[key]
  end

  function photo.setPropertyForPlugin(_, plugin, key, value)
    needWriteAccess(true)
    if plugin ~= sdk.plugin or not sdk.fieldIds()[key] then
      error('the plug-in declares no field ' .. tostring(key), 2)
    end
    if value ~= nil then
      expect(value, 'string', key)
      if #value > MAX_FIELD_BYTES then
        error('the value of ' .. key .. ' is too long', 2)
      end
    end
    local before = fields[key]
    fields[key] = value
    change(function() fields[key] = before end)
  end

  --- For tests: what the photographer did before.
  function photo._set(key, value)
    values[key] = value
  end

  return strict('LrPhoto', photo)
end

--- The fields that MetadataDefinition.lua declares.
function sdk.fieldIds()
  if not state.fields then
    state.fields = {}
    local definition = sdk.environment.require('MetadataDefinition')
    expect(definition.schemaVersion, 'number', 'schemaVersion')
    for _, field in ipairs(definition.metadataFieldsForPhotos) do
      state.fields[field.id] = true
      if (field.searchable or field.browsable) and not field.dataType then
        error('a searchable field needs a dataType')
      end
    end
  end
  return state.fields
end

------------------------------------------------------------------------------------------------------------ collections

--- A collection cannot be used before the gate ends in which it was made.
local function needAccess(collection)
  if collection.gate and collection.gate == state.step then
    error('the collection is not available before the gate ends', 3)
  end
end

local function newCollection(name, kind)
  local own = { name = name, photos = {}, gate = state.step, kind = kind }
  local collection = { localIdentifier = newId() }

  function collection.getName() return own.name end

  function collection.type() return kind end

  function collection.getPhotos()
    needAccess(own)
    return { unpack(own.photos) }
  end

  function collection.addPhotos(_, photos)
    needWriteAccess(false)
    needAccess(own)
    for _, photo in ipairs(photos) do
      local isIn = false
      for _, other in ipairs(own.photos) do
        isIn = isIn or other == photo
      end
      if not isIn then
        own.photos[#own.photos + 1] = photo
        change(function() table.remove(own.photos) end)
      end
    end
  end

  function collection.getChildCollections()
    local children = {}
    for _, entry in ipairs(state.collections) do
      if entry.parent == own.self and entry.own.kind == 'LrCollection' then
        children[#children + 1] = entry.object
      end
    end
    return children
  end

  local object = strict(kind, collection)
  own.self = collection
  return object, own
end

local catalog = { path = '/catalog.lrcat' }

local function create(name, parent, canReturnPrior, kind)
  needWriteAccess(false)
  expect(name, 'string', 'name')
  for _, entry in ipairs(state.collections) do
    if entry.own.name == name and entry.parent == parent and entry.own.kind == kind then
      return canReturnPrior and entry.object or nil
    end
  end
  local object, own = newCollection(name, kind)
  state.collections[#state.collections + 1] = { object = object, own = own, parent = parent }
  change(function() table.remove(state.collections) end)
  return object
end

function catalog.createCollection(_, name, parent, canReturnPrior)
  return create(name, parent, canReturnPrior, 'LrCollection')
end

function catalog.createCollectionSet(_, name, parent, canReturnPrior)
  return create(name, parent, canReturnPrior, 'LrCollectionSet')
end

---------------------------------------------------------------------------------------------------------------- catalog

local function gate(kind)
  return function(_, name, func, timeout)
    if kind == 'full' then
      expect(name, 'string', 'actionName')
    else
      name, func, timeout = 'private', name, func
    end
    expect(func, 'function', 'func')
    if not coroutine.running() then
      error('must be called from within an asynchronous task', 2)
    end
    while state.writeAccess do
      if timeout == nil then
        error('blocked by another write access call, and no timeout parameters were provided', 2)
      end
      sdk.wait(function() return not state.writeAccess end)
    end
    state.writeAccess, state.step = kind, { name = name }
    local isGood, problem = pcall(func, sdk.newContext())
    local step = state.step
    state.writeAccess, state.step = nil, nil
    if not isGood then
      -- Lightroom rolls an action back that failed.
      for index = #step, 1, -1 do step[index]() end
      error(problem, 0)
    end
    -- Also a gate in which nothing changed is a step.
    if kind == 'full' then
      state.undo[#state.undo + 1] = step
    end
    return 'executed'
  end
end

catalog.withWriteAccessDo = gate('full')
catalog.withPrivateWriteAccessDo = gate('private')

function catalog.getChildCollectionSets()
  local sets = {}
  for _, entry in ipairs(state.collections) do
    if not entry.parent and entry.own.kind == 'LrCollectionSet' then
      sets[#sets + 1] = entry.object
    end
  end
  return sets
end

function catalog.getAllPhotos()
  return { unpack(state.photos) }
end

function catalog.findPhotoByUuid(_, uuid)
  for _, photo in ipairs(state.photos) do
    if photo:getRawMetadata('uuid') == uuid then
      return photo
    end
  end
  return nil
end

function catalog.findPhotosWithProperty(_, pluginId, field)
  expect(pluginId, 'string', 'pluginId')
  local found = {}
  for _, photo in ipairs(state.photos) do
    if photo:getPropertyForPlugin(sdk.plugin, field) ~= nil then
      found[#found + 1] = photo
    end
  end
  return found
end

local function batch(photos, keys, read)
  expect(keys, 'table', 'keys')
  local values = {}
  for _, photo in ipairs(photos) do
    values[photo] = {}
    for _, key in ipairs(keys) do
      values[photo][key] = read(photo, key)
    end
  end
  return values
end

function catalog.batchGetRawMetadata(_, photos, keys)
  return batch(photos, keys, function(photo, key) return photo:getRawMetadata(key) end)
end

function catalog.batchGetFormattedMetadata(_, photos, keys)
  return batch(photos, keys, function(photo, key) return photo:getFormattedMetadata(key) end)
end

function catalog.batchGetPropertyForPlugin(_, photos, plugin, keys)
  return batch(photos, keys, function(photo, key) return photo:getPropertyForPlugin(plugin, key) end)
end

function catalog.getPublishServices(_, pluginId)
  expect(pluginId, 'string', 'pluginId')
  return { state.publishService }
end

local catalogObject = strict('LrCatalog', catalog)

sdk.namespaces.LrApplication = strict('LrApplication', {
  activeCatalog = function() return catalogObject end,
  versionString = function() return '14.5' end,
})

local LrProgressScope = setmetatable({}, {
  __call = function(_, params)
    expect(params.title, 'string', 'title')
    return strict('LrProgressScope', {
      setPortionComplete = function() end, setCaption = function() end, done = function() end,
      isCanceled = function() return false end, setCancelable = function() end,
    })
  end,
})
sdk.namespaces.LrProgressScope = LrProgressScope

--------------------------------------------------------------------------------------------------------------- publish

--- A published collection of the plug-in's service.
local function newPublished(name)
  local entries = {}
  local own = { settings = {}, entries = entries }
  local collection = { localIdentifier = newId(), own = own }
  function collection.getName() return name end
  function collection.type() return 'LrPublishedCollection' end
  function collection.getRemoteId() return own.remoteId end
  function collection.getCollectionInfoSummary() return { collectionSettings = own.settings } end
  function collection.getPublishedPhotos()
    local list = {}
    for _, entry in ipairs(entries) do
      list[#list + 1] = entry.object
    end
    return list
  end
  return strict('LrPublishedCollection', collection)
end

state.publishService = strict('LrPublishService', {
  localIdentifier = newId(),
  getChildCollections = function()
    local list = {}
    for _, collection in pairs(state.published) do
      list[#list + 1] = collection
    end
    return list
  end,
  getChildCollectionSets = function() return {} end,
  getPublishSettings = function() return {} end,
})

local function publishedEntry(collection, photo)
  for _, entry in ipairs(collection.own.entries) do
    if entry.photo == photo then
      return entry
    end
  end
  local entry = { photo = photo, needsPublishing = true }
  entry.object = strict('LrPublishedPhoto', {
    getPhoto = function() return photo end,
    getRemoteId = function() return entry.remoteId end,
    getRemoteUrl = function() return entry.url end,
    getEditedFlag = function() return entry.needsPublishing end,
  })
  table.insert(collection.own.entries, entry)
  return entry
end

local function newRendition(photo, path, entry, outcomes)
  local rendition = { photo = photo, wasSkipped = false, destinationPath = path }
  local outcome = { path = path }
  outcomes[#outcomes + 1] = outcome

  function rendition.waitForRender()
    sdk.wait(function() return true end)
    return true, path
  end

  function rendition.uploadFailed(_, message)
    expect(message, 'string', 'message')
    outcome.failed = message
  end

  function rendition.recordPublishedPhotoId(_, id)
    expect(id, 'string', 'publishedId')
    if not entry then
      error('recordPublishedPhotoId is for publishing only', 2)
    end
    entry.remoteId, outcome.recorded = id, true
  end

  function rendition.recordPublishedPhotoUrl(_, url)
    expect(url, 'string', 'url')
    entry.url = url
  end

  -- The field is documented, and nil before the first publish.
  return setmetatable(rendition, {
    __index = function(_, key)
      if key == 'publishedPhotoId' then
        return entry and entry.remoteId
      end
      error('not documented: LrExportRendition.' .. tostring(key), 2)
    end,
  }), outcome
end

---------------------------------------------------------------------------------------------------- what tests control

--- Adds a photo to the catalog. Returns its place among all photos.
function sdk.addPhoto(values)
  values.isVirtualCopy = values.isVirtualCopy or false
  values.pickStatus = values.pickStatus or 0
  values.colorNameForLabel = values.colorNameForLabel or 'none'
  values.path = values.path or '/photos/' .. values.fileName
  state.photos[#state.photos + 1] = newPhoto(values)
  return #state.photos
end

--- Publishes photos of the catalog as the Publish button does, in a task: those of a collection that need it. `files`
-- are the rendered files by the place of the photo.
function sdk.publish(name, files, settings, isExport)
  local provider = sdk.environment.require('PublishService')
  local collection = state.published[name] or newPublished(name)
  state.published[name] = not isExport and collection or state.published[name]
  local outcomes, renditions = {}, {}
  state.outcomes = outcomes
  for place, photo in ipairs(state.photos) do
    local path = files[place]
    local entry = path and not isExport and publishedEntry(collection, photo) or nil
    if path and (not entry or entry.needsPublishing) then
      local rendition, outcome = newRendition(photo, path, entry, outcomes)
      renditions[#renditions + 1] = { object = rendition, outcome = outcome, entry = entry }
    end
  end
  local exportSession = strict('LrExportSession', {
    countRenditions = function() return #renditions end,
    recordRemoteCollectionId = function(_, id) expect(id, 'string', 'id') collection.own.remoteId = id end,
    recordRemoteCollectionUrl = function() end,
  })
  local exportContext = setmetatable({
    exportSession = exportSession,
    propertyTable = settings,
    publishedCollection = not isExport and collection or nil,
    publishedCollectionInfo = not isExport
      and { name = name, remoteId = collection.own.remoteId, collectionSettings = collection.own.settings } or nil,
    publishService = not isExport and state.publishService or nil,
    configureProgress = function(_, args)
      expect(args.title, 'string', 'title')
      return sdk.namespaces.LrProgressScope(args)
    end,
    renditions = function()
      local index = 0
      return function()
        index = index + 1
        if renditions[index] then
          return index, renditions[index].object
        end
      end
    end,
  }, {
    __index = function(_, key)
      if key ~= 'publishedCollection' and key ~= 'publishedCollectionInfo' and key ~= 'publishService' then
        error('not documented: LrExportContext.' .. tostring(key), 2)
      end
    end,
  })
  sdk.namespaces.LrTasks.startAsyncTask(function()
    local isGood, message = sdk.namespaces.LrTasks.pcall(function()
      sdk.namespaces.LrFunctionContext.callWithContext('publish', function(context)
        provider.processRenderedPhotos(context, exportContext)
      end)
    end)
    -- What was recorded before an error is published.
    for _, rendition in ipairs(renditions) do
      if rendition.outcome.recorded and not rendition.outcome.failed and rendition.entry then
        rendition.entry.needsPublishing = false
      end
    end
    if not isGood then
      error(message, 0)
    end
  end)
end

--- Marks a photo of a published collection as edited.
function sdk.edit(name, place)
  publishedEntry(state.published[name], state.photos[place]).needsPublishing = true
end

--- What Lightroom stored about a published photo: its remote id, its address, and whether it is to be published again.
function sdk.publishedPhoto(name, place)
  local entry = publishedEntry(state.published[name], state.photos[place])
  return table.concat({ tostring(entry.remoteId), tostring(entry.url), tostring(entry.needsPublishing) }, '|')
end

--- All photos with what selects can change, and the collections, one a line.
function sdk.describe()
  local lines = {}
  for _, photo in ipairs(state.photos) do
    lines[#lines + 1] = table.concat({
      photo:getFormattedMetadata('fileName'), tostring(photo:getRawMetadata('rating')),
      photo:getRawMetadata('colorNameForLabel'), tostring(photo:getRawMetadata('pickStatus')),
      photo:getPropertyForPlugin(sdk.plugin, 'comments') or '',
    }, '|')
  end
  for _, entry in ipairs(state.collections) do
    local names = {}
    for _, photo in ipairs(entry.own.photos) do
      names[#names + 1] = photo:getFormattedMetadata('fileName')
    end
    lines[#lines + 1] = entry.own.name .. ': ' .. table.concat(names, ', ')
  end
  return table.concat(lines, '\n')
end

--- All fields of the plug-in, as text.
function sdk.dumpFields()
  local parts = {}
  for _, photo in ipairs(state.photos) do
    for id in pairs(sdk.fieldIds()) do
      parts[#parts + 1] = tostring(photo:getPropertyForPlugin(sdk.plugin, id))
    end
  end
  return table.concat(parts, '\n')
end

--- Takes a photo out of its published collection, and removes the plug-in's record, as an old catalog does.
function sdk.loseRecord(name, place)
  local entries = state.published[name].own.entries
  for index, entry in ipairs(entries) do
    if entry.photo == state.photos[place] then
      table.remove(entries, index)
    end
  end
  state.writeAccess, state.step = 'private', {}
  state.photos[place]:setPropertyForPlugin(sdk.plugin, 'uploads', nil)
  state.writeAccess, state.step = nil, nil
end

--- Undoes the newest step, as Edit > Undo does. Returns its name.
function sdk.undo()
  local step = table.remove(state.undo)
  for index = #step, 1, -1 do
    step[index]()
  end
  return step.name
end
