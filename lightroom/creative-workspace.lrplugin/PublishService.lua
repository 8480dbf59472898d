--- The export and publish service provider.
local LrErrors = import 'LrErrors'
local LrTasks = import 'LrTasks'
local LrView = import 'LrView'

local Answers = require 'Answers'
local Config = require 'Config'
local Connection = require 'Connection'
local Projects = require 'Projects'
local PublishTask = require 'PublishTask'
local SignIn = require 'SignIn'
local Texts = require 'Texts'

local bind = LrView.bind

--- Scopes that the option to move files to the trash needs.
local TRASH_SCOPE = 'uploads:delete'

local function projectItems(projects)
  local items = {
    { title = Texts.get('collectionProject'), value = 'collection' },
    { title = Texts.get('noProject'), value = 'none' },
  }
  for _, project in ipairs(projects) do
    items[#items + 1] = { title = project.name, value = project.id }
  end
  return items
end

--- Shows account and projects. Runs in a task.
local function refresh(properties)
  properties.cwStatus = SignIn.status()
  properties.cwIsConnected = Connection.session:isConnected()
  properties.cwProjects = projectItems(properties.cwIsConnected and Projects.list() or {})
end

local function startDialog(properties)
  properties.cwStatus = ''
  properties.cwIsConnected = false
  properties.cwProjects = projectItems({})
  LrTasks.startAsyncTask(function()
    refresh(properties)
  end)
end

local function sectionsForTopOfDialog(f, properties)
  return {
    {
      title = Texts.get('account'),
      synopsis = bind 'cwStatus',
      f:row {
        spacing = f:control_spacing(),
        f:static_text { title = bind 'cwStatus', fill_horizontal = 1 },
        f:push_button {
          title = Texts.get('connect'),
          action = function()
            LrTasks.startAsyncTask(function()
              SignIn.connect(Config.scope)
              refresh(properties)
            end)
          end,
        },
        f:push_button {
          title = Texts.get('disconnect'),
          enabled = bind 'cwIsConnected',
          action = function()
            LrTasks.startAsyncTask(function()
              Connection.session:disconnect()
              refresh(properties)
            end)
          end,
        },
      },
      f:row {
        spacing = f:label_spacing(),
        f:static_text { title = Texts.get('project') },
        f:popup_menu { value = bind 'cwProject', items = bind 'cwProjects', fill_horizontal = 1 },
      },
      f:checkbox { title = Texts.get('trashToo'), value = bind 'cwTrash' },
    },
  }
end

--- Removes photos from the collection only, unless the user wants them in the trash of the workspace, too. Photos for
-- which `deletedCallback` was not called stay in the collection.
local function deletePhotosFromPublishedCollection(settings, ids, deletedCallback)
  if settings.cwTrash and not SignIn.ensure(TRASH_SCOPE) then
    LrErrors.throwUserError(Texts.problem({ code = 'CW-201' }))
  end
  for _, id in ipairs(ids) do
    if settings.cwTrash then
      local response, problem = Connection.request { method = 'POST', path = '/api/v1/uploads/' .. id .. '/trash' }
      if response and response.status ~= 404 and not Answers.isSuccess(response) then
        problem = Answers.failure(response, 'CW-203')
      end
      if problem then
        LrErrors.throwUserError(Texts.problem(problem))
      end
    end
    deletedCallback(id)
  end
end

return {
  supportsIncrementalPublish = true,
  exportPresetFields = {
    { key = 'cwProject', default = 'collection' },
    { key = 'cwTrash', default = false },
  },
  hideSections = { 'exportLocation' },
  canExportVideo = true,
  startDialog = startDialog,
  sectionsForTopOfDialog = sectionsForTopOfDialog,
  processRenderedPhotos = PublishTask.run,
  deletePhotosFromPublishedCollection = deletePhotosFromPublishedCollection,
  -- Ratings, labels and comments of clients change nothing in the file.
  metadataThatTriggersRepublish = function()
    return { default = false, title = true, caption = true, keywords = true, copyright = true, creator = true }
  end,
  shouldDeletePhotosFromServiceOnDeleteFromCatalog = function(settings)
    return settings.cwTrash and 'delete' or 'ignore'
  end,
}
