--- What clients answered, as changes of photos in the catalog. Pure functions.
local Selects = {}

--- By the number of a label at the service.
Selects.LABELS = { 'red', 'yellow', 'green', 'blue', 'purple' }
--- A searchable field has 511 bytes at most.
local MAX_FIELD_BYTES = 511

--- Groups feedback by photo: `{ photo, name, stars, label, labelAt, isFavourite, isApproved, needsChanges, links }`. Of
-- the stars of several guests the most count, of their labels the newest. `links` are those through which the photo was
-- chosen.
-- Returns them by photo, and their ids in the order of the feedback.
function Selects.collect(entries)
  local selects, order = {}, {}
  for _, entry in ipairs(entries) do
    local id = entry.photo
    if type(id) == 'string' and not selects[id] then
      selects[id] = { photo = id, name = type(entry.name) == 'string' and entry.name or '', links = {} }
      order[#order + 1] = id
    end
    local select = selects[id]
    local isChosen = select and (
      entry.kind == 'favourite' or entry.kind == 'stars' or entry.kind == 'label'
      or (entry.kind == 'approval' and entry.withdrawn == nil))
    if select and entry.kind == 'changes' and entry.withdrawn == nil then
      select.needsChanges = true
    elseif isChosen then
      select.links[entry.link or ''] = true
      if entry.kind == 'favourite' then
        select.isFavourite = true
      elseif entry.kind == 'approval' then
        select.isApproved = true
      elseif entry.kind == 'stars' and tonumber(entry.stars) then
        select.stars = math.max(select.stars or 0, math.min(5, math.max(1, math.floor(entry.stars))))
      elseif entry.kind == 'label' and Selects.LABELS[entry.label] and (entry.at or '') >= (select.labelAt or '') then
        select.label, select.labelAt = Selects.LABELS[entry.label], entry.at
      end
    end
  end
  return selects, order
end

--- Cuts a UTF-8 text to `most` bytes, between characters.
local function cut(text, most)
  if #text <= most then
    return text
  end
  local last = most - 3
  while last > 0 and string.find(string.sub(text, last + 1, last + 1), '[\128-\191]') do
    last = last - 1
  end
  return string.sub(text, 1, last) .. '\226\128\166'
end

--- The comments that are not done, by photo, as one text: `Guest: text`, one a line, oldest first.
function Selects.comments(entries)
  local lines = {}
  for _, entry in ipairs(entries) do
    if entry.kind == 'comment' and entry.done ~= true and type(entry.photo) == 'string' then
      local guest = type(entry.guest) == 'table' and entry.guest.name or ''
      local page = entry.page and ' (' .. string.format('%d', entry.page) .. ')' or ''
      local list = lines[entry.photo] or {}
      list[#list + 1] = (guest ~= '' and guest .. page .. ': ' or '') .. tostring(entry.text or '')
      lines[entry.photo] = list
    end
  end
  local texts = {}
  for photo, list in pairs(lines) do
    texts[photo] = cut(table.concat(list, '\n'), MAX_FIELD_BYTES)
  end
  return texts
end

--- `IMG_1.CR3` without its ending. `lower` is Unicode's, of the SDK.
function Selects.baseName(name, lower)
  return (string.gsub(lower(name), '%.[^.]*$', ''))
end

local function only(photos)
  return photos and #photos == 1 and photos[1] or nil
end

--- Finds the photos of the catalog. `index`: `remote[id]` is a list of photos, `exact[name]` and `base[name]` are lists
-- by lower-case name. `byDocument(id)` returns the photo that an upload was made from, or nil; it is called only for
-- photos that neither the publish identity nor the name finds.
-- Returns a list of `{ photo, selects }`, one for each photo of the catalog, and the names that were not found, and those
-- that several photos have.
function Selects.match(selects, order, index, lower, byDocument)
  local matches, places, missing, ambiguous = {}, {}, {}, {}
  for _, id in ipairs(order) do
    local select = selects[id]
    local exact = index.exact[lower(select.name)]
    local base = index.base[Selects.baseName(select.name, lower)]
    local photos = index.remote[id]
    if not photos then
      local photo = only(exact) or only(base) or byDocument(id)
      photos = photo and { photo } or {}
    end
    for _, photo in ipairs(photos) do
      if not places[photo] then
        matches[#matches + 1] = { photo = photo, selects = {} }
        places[photo] = matches[#matches]
      end
      table.insert(places[photo].selects, select)
    end
    if #photos == 0 then
      table.insert((exact or base) and ambiguous or missing, select.name)
    end
  end
  return matches, missing, ambiguous
end

--- Stars of a favourite without stars.
local FAVOURITE_STARS = 5

--- Merges what clients answered about several files of one photo, as the panel writes it into files: without stars, a
-- favourite has five. Without a label, a request for changes is red and an approval is green.
local function merge(selects, comments)
  local result = { links = {} }
  local texts = {}
  for _, select in ipairs(selects) do
    result.isFavourite = result.isFavourite or select.isFavourite
    result.isApproved = result.isApproved or select.isApproved
    result.needsChanges = result.needsChanges or select.needsChanges
    if select.stars then
      result.stars = math.max(result.stars or 0, select.stars)
    end
    if select.label and (not result.label or (select.labelAt or '') > (result.labelAt or '')) then
      result.label, result.labelAt = select.label, select.labelAt
    end
    for link in pairs(select.links) do
      result.links[link] = true
    end
    texts[#texts + 1] = comments[select.photo]
  end
  result.stars = result.stars or (result.isFavourite and FAVOURITE_STARS or nil)
  result.label = result.label or (result.needsChanges and 'red') or (result.isApproved and 'green') or nil
  result.comments = #texts > 0 and cut(table.concat(texts, '\n'), MAX_FIELD_BYTES) or nil
  return result
end

--- The changes of one photo: `{ rating, label, pick, comments }`, those that are nil stay, `comments` is '' to remove.
-- `current` has the same members, as they are. Without `isReplacing`, ratings only rise, and labels and flags of the
-- photographer stay. Returns the changes, whether something of the photographer was kept, and the links.
function Selects.plan(current, selects, comments, isReplacing)
  local wanted = merge(selects, comments)
  local changes, isKept = {}, false
  if wanted.stars and wanted.stars ~= (current.rating or 0) then
    if isReplacing or wanted.stars > (current.rating or 0) then
      changes.rating = wanted.stars
    else
      isKept = true
    end
  end
  local hasLabel = current.label and current.label ~= '' and current.label ~= 'none'
  if wanted.label and wanted.label ~= current.label then
    if isReplacing or not hasLabel then
      changes.label = wanted.label
    else
      isKept = true
    end
  end
  if wanted.isFavourite and current.pick ~= 1 then
    if isReplacing or current.pick ~= -1 then
      changes.pick = 1
    else
      isKept = true
    end
  end
  if (wanted.comments or '') ~= (current.comments or '') then
    changes.comments = wanted.comments or ''
  end
  return changes, isKept, wanted.links
end

--- The names of collections, by the id of their link: title or name, and the day of the link. Links that would have the
-- same name have a part of their id, except the oldest.
function Selects.collectionNames(links, format)
  local sorted = {}
  for _, link in ipairs(links) do
    sorted[#sorted + 1] = link
  end
  table.sort(sorted, function(a, b)
    return a.created .. a.id < b.created .. b.id
  end)
  local names, taken = {}, {}
  for _, link in ipairs(sorted) do
    local title = type(link.title) == 'string' and link.title ~= '' and link.title or link.name
    local name = format(title, string.sub(link.created, 1, 10))
    if taken[name] then
      name = format(name, string.sub(link.id, 1, 8))
    end
    taken[name] = true
    names[link.id] = name
  end
  return names
end

return Selects
