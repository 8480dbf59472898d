--- Connects the modules without SDK to Lightroom: secure storage, time, tasks, requests.
local LrDate = import 'LrDate'
local LrPasswords = import 'LrPasswords'
local LrTasks = import 'LrTasks'

local Answers = require 'Answers'
local Config = require 'Config'
local Http = require 'Http'
local Random = require 'Random'
local Session = require 'Session'

local Connection = {}

--- The only key in secure storage, and the only place of tokens.
local STORAGE_KEY = 'session'
local SLEEP_STEP_S = 0.5
local MAX_TRIES = 6
local LONGEST_BACKOFF_S = 15

--- Globals are shared by all scripts of the plug-in, so that all its tasks see one lock.
local lock = rawget(_G, 'creativeWorkspaceLock') or {}
rawset(_G, 'creativeWorkspaceLock', lock)

--- Sleeps in short steps, so that `isCancelled` ends it early.
function Connection.sleep(seconds, isCancelled)
  if not isCancelled then
    LrTasks.sleep(seconds)
    return
  end
  local deadline = LrDate.currentTime() + seconds
  while not isCancelled() and LrDate.currentTime() < deadline do
    LrTasks.sleep(math.min(SLEEP_STEP_S, math.max(0.01, deadline - LrDate.currentTime())))
  end
end

Connection.session = Session.new({
  baseUrl = Config.baseUrl,
  clientId = Config.clientId,
  lock = lock,
  now = LrDate.currentTime,
  sleep = Connection.sleep,
  pcall = LrTasks.pcall,
  send = Http.send,
  random = function()
    return Random.text(LrPasswords.retrieve(STORAGE_KEY))
  end,
  read = function()
    return LrPasswords.retrieve(STORAGE_KEY)
  end,
  write = function(text)
    return (LrTasks.pcall(LrPasswords.store, STORAGE_KEY, text))
  end,
})

--- Sends one request of the data API. A 401 refreshes the token that failed, once.
local function sendOnce(request)
  local token, problem = Connection.session:accessToken()
  for try = 1, 2 do
    if not token then
      return nil, problem
    end
    request.headers.Authorization = 'Bearer ' .. token
    local response, lost = Http.send(request)
    if not response then
      return nil, lost
    elseif response.status ~= 401 or try == 2 then
      return response
    end
    token, problem = Connection.session:refresh(token)
  end
end

--- Sends a request of the data API: `{ method, path, headers, body }`. Repeats it after transient errors, with growing
-- pauses, unless it `isSingle`; so it must be one that may arrive twice. Returns the response with any final status, or nil and an error.
function Connection.request(request)
  local copy = { method = request.method, url = Config.baseUrl .. request.path, body = request.body, headers = {} }
  for name, value in pairs(request.headers or {}) do
    copy.headers[name] = value
  end
  local tries = request.isSingle and 1 or MAX_TRIES
  for try = 1, tries do
    local response, problem = sendOnce(copy)
    if response and not Answers.isSuccess(response) then
      problem = Answers.failure(response, 'CW-603')
    end
    local isLast = try == tries or (request.isCancelled and request.isCancelled())
    if not problem or not problem.isTransient or isLast then
      if response and not (problem and problem.isTransient) then
        return response
      end
      return nil, problem
    end
    local pause = math.max(math.min(2 ^ (try - 1), LONGEST_BACKOFF_S), problem.retryAfter or 0)
    Connection.sleep(pause, request.isCancelled)
  end
end

return Connection
