--- Reads lists of the data API, page by page.
local Answers = require 'Answers'
local Connection = require 'Connection'
local Json = require 'Json'

local Listing = {}

local MAX_PAGES = 1000

--- A GET request for a JSON object. Returns it, or nil and an error.
function Listing.get(path)
  local response, problem = Connection.request { method = 'GET', path = path, headers = {} }
  if not response then
    return nil, problem
  elseif not Answers.isSuccess(response) then
    return nil, Answers.failure(response, response.status == 403 and 'CW-203' or 'CW-305')
  end
  local body = Json.decodeObject(response.body)
  if not body then
    return nil, Answers.error('CW-305')
  end
  return body
end

--- All entries of the list `name` at `path`. Returns them, or nil and an error.
function Listing.all(path, name)
  local entries = {}
  local seen = {}
  for _ = 1, MAX_PAGES do
    local body, problem = Listing.get(path)
    if not body then
      return nil, problem
    elseif type(body[name]) ~= 'table' then
      return nil, Answers.error('CW-305')
    end
    for _, entry in ipairs(body[name]) do
      entries[#entries + 1] = type(entry) == 'table' and entry or nil
    end
    if type(body.next) ~= 'string' then
      return entries
    end
    path = string.match(body.next, '^https?://[^/]+(/.*)$') or body.next
    if string.sub(path, 1, 8) ~= '/api/v1/' or seen[path] then
      return nil, Answers.error('CW-305')
    end
    seen[path] = true
  end
  return nil, Answers.error('CW-305')
end

return Listing
