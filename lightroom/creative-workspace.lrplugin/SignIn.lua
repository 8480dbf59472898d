--- The dialog of the sign-in by device code.
local LrApplication = import 'LrApplication'
local LrBinding = import 'LrBinding'
local LrDate = import 'LrDate'
local LrDialogs = import 'LrDialogs'
local LrFunctionContext = import 'LrFunctionContext'
local LrHttp = import 'LrHttp'
local LrTasks = import 'LrTasks'
local LrView = import 'LrView'

local Answers = require 'Answers'
local Config = require 'Config'
local Connection = require 'Connection'
local DeviceGrant = require 'DeviceGrant'
local Http = require 'Http'
local Json = require 'Json'
local Texts = require 'Texts'

local SignIn = {}

local bind = LrView.bind

local function options()
  return { send = Http.send, baseUrl = Config.baseUrl, clientId = Config.clientId, now = LrDate.currentTime }
end

--- What the page of the browser shows about this computer.
local function details()
  return {
    device_app = string.sub('Lightroom Classic ' .. LrApplication.versionString(), 1, 60),
    device_os = WIN_ENV and 'Windows' or 'macOS',
    device_name = 'Lightroom Classic',
  }
end

local function numberButton(f, properties, key)
  return f:push_button {
    title = bind(key),
    visible = bind 'hasNumbers',
    action = function()
      properties.chosen = properties[key]
      properties.hasNumbers = false
    end,
  }
end

local function contents(f, properties, authorization)
  return f:column {
    bind_to_object = properties,
    spacing = f:control_spacing(),
    f:static_text { title = Texts.get('enterCode') },
    f:edit_field { value = authorization.userCode, enabled = false, font = '<system/bold>', width_in_chars = 16 },
    f:static_text { title = authorization.verificationUri },
    f:push_button {
      title = Texts.get('openBrowser'),
      action = function()
        LrHttp.openUrlInBrowser(authorization.verificationUriComplete or authorization.verificationUri)
      end,
    },
    f:static_text { title = bind 'status', width_in_chars = 50, height_in_lines = 3 },
    f:row {
      numberButton(f, properties, 'number1'),
      numberButton(f, properties, 'number2'),
      numberButton(f, properties, 'number3'),
      f:push_button {
        title = Texts.get('noneOfThese'),
        visible = bind 'hasNumbers',
        action = function()
          properties.chosen = 'none'
          properties.hasNumbers = false
        end,
      },
    },
  }
end

--- Polls until the user has decided, and closes the dialog. The outcome is in `properties`.
local function poll(properties, authorization, view)
  local polling = options()
  polling.sleep = Connection.sleep
  polling.isCancelled = function()
    return properties.isClosed
  end
  polling.chosenNumber = function()
    return properties.chosen
  end
  polling.onNumbers = function(choices)
    if choices and not properties.chosen then
      properties.number1, properties.number2, properties.number3 = choices[1], choices[2], choices[3]
      properties.hasNumbers = true
      properties.status = Texts.get('numberTitle')
    end
  end
  local isGood, tokens, problem = LrTasks.pcall(DeviceGrant.poll, polling, authorization)
  if not isGood then
    tokens, problem = nil, Answers.error('CW-901')
  end
  properties.tokens, properties.problem, properties.isOver = tokens, problem, true
  if not properties.isClosed then
    LrDialogs.stopModalWithResult(view, 'ok')
  end
end

--- Shows the dialog until the user has decided. Returns true, or nil and an error; nil alone after Cancel.
local function connect(context, scope)
  local authorization, problem = DeviceGrant.request(options(), scope, details())
  if not authorization then
    return nil, problem
  end
  local properties = LrBinding.makePropertyTable(context)
  properties.status = Texts.get('waiting')
  properties.hasNumbers = false
  local view = contents(LrView.osFactory(), properties, authorization)
  LrHttp.openUrlInBrowser(authorization.verificationUriComplete or authorization.verificationUri)
  LrTasks.startAsyncTask(function()
    poll(properties, authorization, view)
  end)
  LrDialogs.presentModalDialog {
    title = Texts.get('connectTitle'),
    contents = view,
    actionVerb = '< exclude >',
    cancelVerb = Texts.get('cancel'),
  }
  properties.isClosed = true
  -- A poll under way may still bring tokens, which must not be lost.
  while not properties.isOver do
    LrTasks.sleep(0.1)
  end
  if not properties.tokens then
    return nil, properties.problem
  end
  return Connection.session:adopt(properties.tokens, scope)
end

--- Signs in, in a task. Shows an error. Returns whether there is a session with these scopes.
function SignIn.connect(scope)
  local isConnected, problem = LrFunctionContext.callWithContext('sign-in', connect, scope)
  if problem then
    LrDialogs.message(Texts.get('connectTitle'), Texts.problem(problem), 'warning')
  end
  return isConnected == true
end

--- Whether there is a session with these scopes; signs in if not. Scopes that the session has stay requested.
function SignIn.ensure(scope)
  local session = Connection.session
  if session:isConnected() and session:hasScopes(scope) then
    return true
  end
  local scopes = Config.scope
  for name in string.gmatch((session:record().scope or '') .. ' ' .. scope, '%S+') do
    if not string.find(' ' .. scopes .. ' ', ' ' .. name .. ' ', 1, true) then
      scopes = scopes .. ' ' .. name
    end
  end
  return SignIn.connect(scopes)
end

--- The connected account and workspace, as a text for people.
function SignIn.status()
  if not Connection.session:isConnected() then
    return Texts.get('notConnected')
  end
  local response, problem = Connection.request { method = 'GET', path = '/api/v1/me', headers = {} }
  if not response then
    return Texts.problem(problem)
  end
  local me = Json.decodeObject(response.body) or {}
  if type(me.account) ~= 'table' or type(me.workspace) ~= 'table' then
    return Texts.get('connected')
  end
  return Texts.get('connectedAs', me.account.name or me.account.username or '', me.workspace.name or '')
end

return SignIn
