--- The project that published files go to.
local Answers = require 'Answers'
local Connection = require 'Connection'
local Json = require 'Json'
local Listing = require 'Listing'

local Projects = {}

--- The user's projects that are not archived. Returns them, or nil and an error.
function Projects.list()
  local all, problem = Listing.all('/api/v1/projects', 'projects')
  local projects = {}
  for _, project in ipairs(all or {}) do
    if type(project.id) == 'string' and type(project.name) == 'string' and project.archived ~= true then
      projects[#projects + 1] = project
    end
  end
  return all and projects, problem
end

local function find(projects, key, value)
  for _, project in ipairs(projects) do
    if project[key] == value then
      return project
    end
  end
end

--- The project named after a collection: the one with its remote id, else the one with its name, else a new one. A
-- creation whose answer was lost is found by its name.
function Projects.forCollection(name, remoteId)
  local projects, problem = Projects.list()
  if not projects then
    return nil, problem
  end
  local project = (remoteId and find(projects, 'id', remoteId)) or find(projects, 'name', name)
  if project then
    return project.id
  end
  local response, lost = Connection.request {
    method = 'POST',
    path = '/api/v1/projects',
    headers = { ['Content-Type'] = 'application/json' },
    body = Json.encode({ name = name }),
    isSingle = true,
  }
  if response and not Answers.isSuccess(response) then
    return nil, Answers.failure(response, 'CW-613')
  end
  local created = response and Json.decodeObject(response.body)
  if created and type(created.id) == 'string' then
    return created.id
  end
  projects, problem = Projects.list()
  project = projects and find(projects, 'name', name)
  if project then
    return project.id
  end
  return nil, lost or problem or Answers.error('CW-305')
end

return Projects
