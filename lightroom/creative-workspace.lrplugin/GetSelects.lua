--- Library > Plug-in Extras > Get selects: ratings, labels, flags, comments and collections from what clients answered.
local LrApplication = import 'LrApplication'
local LrBinding = import 'LrBinding'
local LrDialogs = import 'LrDialogs'
local LrFunctionContext = import 'LrFunctionContext'
local LrStringUtils = import 'LrStringUtils'
local LrView = import 'LrView'

local Form = require 'Form'
local Identity = require 'Identity'
local Listing = require 'Listing'
local Projects = require 'Projects'
local Selects = require 'Selects'
local SignIn = require 'SignIn'
local Texts = require 'Texts'

--- Listing links has no smaller scope.
local SCOPE = 'uploads:read projects:write shares:write'
local WRITE_ACCESS = { timeout = 30 }
--- How many names a summary lists.
local MAX_NAMES = 10

local bind = LrView.bind
local lower = LrStringUtils.lower

--- All that can be chosen: `{ title, value = { path, name } }`.
local function sources(links, projects)
  local names = Selects.collectionNames(links, function(name, day)
    return Texts.get('collectionName', name, day)
  end)
  local items = {}
  for _, link in ipairs(links) do
    local title = Texts.get('linkSource', names[link.id], string.format('%d', link.photos or 0))
    items[#items + 1] = { title = title, value = { query = '?link=' .. Form.escape(link.id), name = names[link.id] } }
  end
  for _, project in ipairs(projects) do
    local value = { query = '?project=' .. Form.escape(project.id), name = project.name }
    items[#items + 1] = { title = Texts.get('projectSource', project.name), value = value }
  end
  return items, names
end

--- Shows the dialog. Returns the source and whether ratings and labels are replaced; nil after Cancel.
local function choose(context, items)
  local properties = LrBinding.makePropertyTable(context)
  properties.source = items[1].value
  properties.isReplacing = false
  local f = LrView.osFactory()
  local result = LrDialogs.presentModalDialog {
    title = Texts.get('getSelects'),
    contents = f:column {
      bind_to_object = properties,
      spacing = f:control_spacing(),
      f:row {
        spacing = f:label_spacing(),
        f:static_text { title = Texts.get('selectsFrom') },
        f:popup_menu { value = bind 'source', items = items, width_in_chars = 40 },
      },
      f:checkbox { title = Texts.get('replaceMine'), value = bind 'isReplacing' },
      f:static_text { title = Texts.get('replaceMineHint') },
    },
    actionVerb = Texts.get('getSelects'),
    cancelVerb = Texts.get('cancel'),
  }
  if result == 'ok' then
    return properties.source, properties.isReplacing
  end
end

local function add(lists, key, photo)
  lists[key] = lists[key] or {}
  table.insert(lists[key], photo)
end

--- Finds photos by what was published from them, and by name. Virtual copies have the name of their photo, so only
-- their publish identity finds them.
local function indexOf(catalog)
  local index = { remote = {}, exact = {}, base = {} }
  local seen = {}
  local function addRemote(id, photo)
    if id and not (seen[id] and seen[id][photo]) then
      seen[id] = seen[id] or {}
      seen[id][photo] = true
      add(index.remote, id, photo)
    end
  end
  local function addCollections(parent)
    for _, collection in ipairs(parent:getChildCollections()) do
      for _, published in ipairs(collection:getPublishedPhotos()) do
        addRemote(published:getRemoteId(), published:getPhoto())
      end
    end
    for _, set in ipairs(parent:getChildCollectionSets()) do
      addCollections(set)
    end
  end
  for _, service in ipairs(catalog:getPublishServices(_PLUGIN.id)) do
    addCollections(service)
  end
  for _, photo in ipairs(catalog:findPhotosWithProperty(_PLUGIN.id, 'uploads')) do
    for _, at in pairs(Identity.read(photo:getPropertyForPlugin(_PLUGIN, 'uploads'))) do
      addRemote(at.photo, photo)
    end
  end
  local photos = catalog:getAllPhotos()
  local raw = catalog:batchGetRawMetadata(photos, { 'isVirtualCopy' })
  local formatted = catalog:batchGetFormattedMetadata(photos, { 'fileName' })
  for _, photo in ipairs(photos) do
    local name = formatted[photo].fileName
    if name and not raw[photo].isVirtualCopy then
      add(index.exact, lower(name), photo)
      add(index.base, Selects.baseName(name, lower), photo)
    end
  end
  return index
end

--- Plans all changes. Returns a list of `{ photo, changes, links }`, and how many photos keep something.
local function planAll(matches, comments, isReplacing)
  local plans, kept = {}, 0
  for _, match in ipairs(matches) do
    local photo = match.photo
    local changes, isKept, links = Selects.plan({
      rating = photo:getRawMetadata('rating'),
      label = photo:getRawMetadata('colorNameForLabel'),
      pick = photo:getRawMetadata('pickStatus'),
      comments = photo:getPropertyForPlugin(_PLUGIN, 'comments'),
    }, match.selects, comments, isReplacing)
    kept = kept + (isKept and 1 or 0)
    plans[#plans + 1] = { photo = photo, changes = changes, links = links }
  end
  return plans, kept
end

--- The photos of each collection, by its name.
local function collectionsOf(plans, names, source)
  local collections, order = {}, {}
  for _, plan in ipairs(plans) do
    for link in pairs(plan.links) do
      local name = names[link] or source.name
      if not collections[name] then
        order[#order + 1] = name
      end
      add(collections, name, plan.photo)
    end
  end
  table.sort(order)
  return collections, order
end

local function childNamed(children, name)
  for _, child in ipairs(children) do
    if child:getName() == name then
      return child
    end
  end
end

--- The collections with these names in the set of the plug-in, made where they are missing. By name.
local function makeCollections(catalog, names)
  local set = childNamed(catalog:getChildCollectionSets(), Texts.get('setName'))
  local found, missing = {}, {}
  for _, name in ipairs(names) do
    found[name] = set and childNamed(set:getChildCollections(), name)
    if not found[name] then
      missing[#missing + 1] = name
    end
  end
  if #missing > 0 then
    -- A collection can be used only after the gate in which it was made, so this is a step of its own.
    catalog:withWriteAccessDo(Texts.get('getSelects'), function()
      local parent = set or catalog:createCollectionSet(Texts.get('setName'), nil, true)
      for _, name in ipairs(missing) do
        found[name] = catalog:createCollection(name, parent, true)
      end
    end, WRITE_ACCESS)
  end
  return found
end

local function missingIn(collection, photos)
  local isIn = {}
  for _, photo in ipairs(collection:getPhotos()) do
    isIn[photo] = true
  end
  local missing = {}
  for _, photo in ipairs(photos) do
    if not isIn[photo] then
      isIn[photo] = true
      missing[#missing + 1] = photo
    end
  end
  return missing
end

local function applyTo(photo, changes)
  if changes.rating then
    photo:setRawMetadata('rating', changes.rating)
  end
  if changes.label then
    photo:setRawMetadata('colorNameForLabel', changes.label)
  end
  if changes.pick then
    photo:setRawMetadata('pickStatus', changes.pick)
  end
  if changes.comments then
    photo:setPropertyForPlugin(_PLUGIN, 'comments', changes.comments ~= '' and changes.comments or nil)
  end
end

--- Applies everything in one step of undo. Nothing to change makes no step. Returns how many photos changed.
local function apply(catalog, plans, collections, order)
  local found = makeCollections(catalog, order)
  local changed, additions = {}, {}
  for _, plan in ipairs(plans) do
    if next(plan.changes) then
      changed[#changed + 1] = plan
    end
  end
  for _, name in ipairs(order) do
    local photos = found[name] and missingIn(found[name], collections[name]) or {}
    if #photos > 0 then
      additions[#additions + 1] = { collection = found[name], photos = photos }
    end
  end
  if #changed > 0 or #additions > 0 then
    catalog:withWriteAccessDo(Texts.get('getSelects'), function()
      for _, plan in ipairs(changed) do
        applyTo(plan.photo, plan.changes)
      end
      for _, addition in ipairs(additions) do
        addition.collection:addPhotos(addition.photos)
      end
    end, WRITE_ACCESS)
  end
  return #changed
end

local function listOf(names)
  local shown = table.concat(names, ', ', 1, math.min(#names, MAX_NAMES))
  if #names <= MAX_NAMES then
    return shown
  end
  return Texts.get('andMore', shown, string.format('%d', #names - MAX_NAMES))
end

local function showSummary(result)
  local lines = { Texts.get('summaryChanged', string.format('%d', result.changed)) }
  if result.kept > 0 then
    lines[#lines + 1] = Texts.get('summaryKept', string.format('%d', result.kept))
  end
  if #result.missing > 0 then
    lines[#lines + 1] = Texts.get('summaryMissing', listOf(result.missing))
  end
  if #result.ambiguous > 0 then
    lines[#lines + 1] = Texts.get('summaryAmbiguous', listOf(result.ambiguous))
  end
  local title = Texts.get('summaryTitle', string.format('%d', result.found), string.format('%d', result.total))
  LrDialogs.message(title, table.concat(lines, '\n'), 'info')
end

--- Returns nothing, or an error.
local function getSelects(context)
  if not SignIn.ensure(SCOPE) then
    return nil
  end
  local links, noLinks = Listing.all('/api/v1/shares', 'shares')
  local projects, noProjects = Projects.list()
  if not links or not projects then
    return noLinks or noProjects
  end
  local items, names = sources(links, projects)
  if #items == 0 then
    LrDialogs.message(Texts.get('getSelects'), Texts.get('nothingToGet'), 'info')
    return nil
  end
  local source, isReplacing = choose(context, items)
  if not source then
    return nil
  end
  local entries, noEntries = Listing.all('/api/v1/feedback' .. source.query, 'feedback')
  -- The field has the comments of all links, so that two links do not replace each other's.
  local commentEntries, noComments = Listing.all('/api/v1/feedback?kind=comment', 'feedback')
  if not entries or not commentEntries then
    return noEntries or noComments
  end
  local catalog = LrApplication.activeCatalog()
  local selects, order = Selects.collect(entries)
  local lost
  local matches, missing, ambiguous = Selects.match(selects, order, indexOf(catalog), lower, function(id)
    local upload, problem = Listing.get('/api/v1/uploads/' .. Form.escape(id))
    lost = lost or (problem and problem.status ~= 404 and problem) or nil
    local uuid = upload and Identity.uuidOf(upload.client_upload_id)
    return uuid and catalog:findPhotoByUuid(uuid) or nil
  end)
  if lost then
    return lost
  end
  local plans, kept = planAll(matches, Selects.comments(commentEntries), isReplacing)
  local collections, collectionOrder = collectionsOf(plans, names, source)
  showSummary {
    changed = apply(catalog, plans, collections, collectionOrder),
    kept = kept,
    missing = missing,
    ambiguous = ambiguous,
    found = #order - #missing - #ambiguous,
    total = #order,
  }
end

LrFunctionContext.postAsyncTaskWithContext('get-selects', function(context)
  local problem = getSelects(context)
  if problem then
    LrDialogs.message(Texts.get('getSelects'), Texts.problem(problem), 'warning')
  end
end)
