--- A simulation of the Lightroom Classic SDK, written from its public API reference. What a plug-in may use exists; any
-- other name of a namespace, method, field or view raises an error. Time is simulated: it moves when all tasks wait.
-- `host` (JavaScript) has `md5(hex)`, `lower(hex)`, and calls the functions of `sdk` at the end.

sdk = { state = {} }

local state = sdk.state
state.now = 800000000
state.tasks = {}
state.requests = {}
state.dialogs = {}
state.messages = {}
state.openedUrls = {}
state.passwords = {}
state.prefs = {}
state.logs = {}
state.translations = {}
state.answers = {}
state.loaded = {}
state.sources = {}
state.undo = {}

local PLUGIN_ID = 'com.creativeworkspace.lightroom'

--- A loop, because `.` of a pattern does not match a zero byte in Lua 5.1.
function sdk.toHex(text)
  local parts = {}
  for index = 1, #text do
    parts[index] = string.format('%02x', string.byte(text, index))
  end
  return table.concat(parts)
end

function sdk.fromHex(hex)
  return (string.gsub(hex, '%x%x', function(digits)
    return string.char(tonumber(digits, 16))
  end))
end

local toHex, fromHex = sdk.toHex, sdk.fromHex

--- A table that refuses names that are not documented.
function sdk.strict(name, members)
  return setmetatable(members, {
    __index = function(_, key)
      error('not documented: ' .. name .. '.' .. tostring(key), 2)
    end,
    __newindex = function(_, key)
      error('read-only: ' .. name .. '.' .. tostring(key), 2)
    end,
  })
end

local strict = sdk.strict

function sdk.expect(value, kind, what)
  if type(value) ~= kind then
    error(what .. ' must be a ' .. kind .. ', not ' .. type(value), 3)
  end
end

local expect = sdk.expect

---------------------------------------------------------------------------------------------------------------- tasks

local function inTask()
  return coroutine.running() ~= nil
end

local function wait(condition)
  if not inTask() then
    error('must be called from within an asynchronous task', 3)
  end
  if state.writeAccess then
    error('a task must not wait inside of a with...WriteAccessDo gate', 3)
  end
  coroutine.yield(condition)
end

sdk.wait = wait

local LrTasks = {}

function LrTasks.startAsyncTask(func, name)
  expect(func, 'function', 'func')
  state.tasks[#state.tasks + 1] = { thread = coroutine.create(func), name = name, condition = function() return true end }
end

function LrTasks.yield()
  wait(function() return true end)
end

function LrTasks.sleep(delay)
  expect(delay, 'number', 'delay')
  local at = state.now + delay
  wait({ at = at })
end

function LrTasks.canYield()
  return inTask()
end

--- `pcall` of Lua 5.1 cannot be yielded across; this one can.
function LrTasks.pcall(func, ...)
  local thread = coroutine.create(func)
  local function continue(isGood, ...)
    if not isGood then
      return false, ...
    elseif coroutine.status(thread) == 'dead' then
      return true, ...
    end
    return continue(coroutine.resume(thread, coroutine.yield(...)))
  end
  return continue(coroutine.resume(thread, ...))
end

local function isReady(condition)
  if type(condition) == 'table' then
    return condition.at <= state.now
  end
  return condition()
end

--- Runs every task that can run, once. Returns whether one ran. An error of a task is recorded, as its dialog.
local function runReady()
  local ran = false
  for _, task in ipairs({ unpack(state.tasks) }) do
    if isReady(task.condition) then
      ran = true
      local isGood, condition = coroutine.resume(task.thread)
      if not isGood then
        state.messages[#state.messages + 1] = 'task failed: ' .. tostring(type(condition) == 'table' and 'table' or condition)
      end
      if coroutine.status(task.thread) == 'dead' then
        for index, other in ipairs(state.tasks) do
          if other == task then
            table.remove(state.tasks, index)
          end
        end
      else
        task.condition = condition
      end
    end
  end
  return ran
end

--- The time at which the next sleeping task wakes, or nil.
local function nextWaking()
  local at
  for _, task in ipairs(state.tasks) do
    if type(task.condition) == 'table' and (not at or task.condition.at < at) then
      at = task.condition.at
    end
  end
  return at
end

------------------------------------------------------------------------------------------------------------------ http

local LrHttp = {}

local function checkHeaders(headers)
  local lines = {}
  for _, header in ipairs(headers or {}) do
    expect(header.field, 'string', 'field of a header')
    expect(header.value, 'string', 'value of a header')
    if string.find(header.value, '[\r\n]') then
      error('a header with a line break', 3)
    end
    lines[#lines + 1] = header.field .. ': ' .. header.value
  end
  return table.concat(lines, '\n')
end

local function exchange(method, url, body, headers, timeout)
  expect(url, 'string', 'url')
  expect(body, 'string', 'postBody')
  if timeout ~= nil then
    expect(timeout, 'number', 'timeout')
  end
  local request = { method = method, url = url, body = body, headers = checkHeaders(headers) }
  state.requests[#state.requests + 1] = request
  request.id = #state.requests
  if not inTask() then
    error('LrHttp must be called from within an asynchronous task', 3)
  end
  wait(function() return request.info ~= nil end)
  state.requests[request.id] = false
  return request.answer, request.info
end

function LrHttp.get(url, headers, timeout)
  return exchange('GET', url, '', headers, timeout)
end

function LrHttp.post(url, postBody, headers, method, timeout)
  return exchange(method or 'POST', url, postBody, headers, timeout)
end

function LrHttp.openUrlInBrowser(url)
  expect(url, 'string', 'url')
  state.openedUrls[#state.openedUrls + 1] = url
end

--------------------------------------------------------------------------------------------------------- small namespaces

local LrDate = {
  currentTime = function() return state.now end,
}

local LrPasswords = {}

function LrPasswords.store(key, password)
  expect(key, 'string', 'keystring')
  expect(password, 'string', 'myPassword')
  if state.passwordsFail then
    error('the secure storage is locked')
  end
  state.passwords[key] = password
end

function LrPasswords.retrieve(key)
  expect(key, 'string', 'keystring')
  return state.passwords[key]
end

local LrMD5 = {}

function LrMD5.digest(data)
  expect(data, 'string', 'data')
  return host.md5(toHex(data))
end

local LrStringUtils = {}

function LrStringUtils.lower(text)
  return fromHex(host.lower(toHex(text)))
end

local LrPathUtils = {}

function LrPathUtils.leafName(path)
  return string.match(path, '[^/\\]*$')
end

function LrPathUtils.removeExtension(path)
  return (string.gsub(path, '%.[^./\\]*$', ''))
end

function LrPathUtils.extension(path)
  return string.match(path, '%.([^./\\]*)$') or ''
end

local LrFileUtils = {}

function LrFileUtils.readFile(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

function LrFileUtils.fileAttributes(path)
  local file = io.open(path, 'rb')
  if not file then
    return {}
  end
  local size = file:seek('end')
  file:close()
  return { fileSize = size }
end

function LrFileUtils.delete(path)
  return os.remove(path)
end

local LrPrefs = {
  prefsForPlugin = function() return state.prefs end,
}

local LrLocalization = {
  currentLanguage = function() return state.language or 'en' end,
}

local LrErrors = {
  throwUserError = function(text) error(text, 0) end,
  throwCanceled = function() error('canceled', 0) end,
  isCanceledError = function(text) return text == 'canceled' end,
}

-------------------------------------------------------------------------------------------------------------- contexts

local LrFunctionContext = {}

local function newContext()
  return strict('LrFunctionContext', { addCleanupHandler = function() end, addFailureHandler = function() end })
end

function LrFunctionContext.callWithContext(_, func, ...)
  local results = { LrTasks.pcall(func, newContext(), ...) }
  if not results[1] then
    error(results[2], 0)
  end
  return unpack(results, 2, table.maxn(results))
end

function LrFunctionContext.postAsyncTaskWithContext(name, func)
  LrTasks.startAsyncTask(function() LrFunctionContext.callWithContext(name, func) end, name)
end

sdk.newContext = newContext

local LrBinding = {}

function LrBinding.makePropertyTable(context)
  expect(context, 'table', 'functionContext')
  local values = {}
  local observers = {}
  return setmetatable({}, {
    __index = function(self, key)
      if key == 'addObserver' then
        return function(_, name, func) observers[name] = func end
      end
      return values[key]
    end,
    __newindex = function(self, key, value)
      local isNew = values[key] ~= value
      values[key] = value
      if isNew and observers[key] then
        observers[key](self, key, value)
      end
    end,
  })
end

------------------------------------------------------------------------------------------------------------------ views

local VIEW_ARGS = {}
for kind, names in pairs({
  column = '', row = '', group_box = 'title',
  static_text = 'title text_color', edit_field = 'value immediate password', push_button = 'title action',
  checkbox = 'title value checked_value unchecked_value', popup_menu = 'value items',
  spacer = '', separator = '',
}) do
  VIEW_ARGS[kind] = {}
  local shared = ' bind_to_object spacing visible enabled width height width_in_chars height_in_lines font fill_horizontal'
    .. ' fill_vertical alignment margin place tooltip size'
  for name in string.gmatch(names .. shared, '%S+') do
    VIEW_ARGS[kind][name] = true
  end
end

local factory = {
  control_spacing = function() return 8 end,
  label_spacing = function() return 4 end,
  dialog_spacing = function() return 12 end,
}
for kind, allowed in pairs(VIEW_ARGS) do
  factory[kind] = function(_, args)
    expect(args, 'table', 'args')
    for name in pairs(args) do
      if type(name) == 'string' and not allowed[name] then
        error('viewFactory:' .. kind .. ' has no argument ' .. name, 2)
      end
    end
    return { kind = kind, args = args }
  end
end
strict('viewFactory', factory)

local LrView = {
  osFactory = function() return factory end,
  bind = function(key)
    return { bound = type(key) == 'table' and key.key or key, object = type(key) == 'table' and key.bind_to_object or nil,
      transform = type(key) == 'table' and key.transform or nil }
  end,
  share = function(name) return { shared = name } end,
}

local function resolve(value, object)
  if type(value) == 'table' and value.bound then
    local result = (value.object or object)[value.bound]
    if value.transform then
      return value.transform(result, true)
    end
    return result
  end
  return value
end

--- Calls `visit(view, args, object)` for every view that is shown.
local function walk(view, object, visit)
  object = view.args.bind_to_object or object
  local visible = view.args.visible
  if visible ~= nil and not resolve(visible, object) then
    return
  end
  visit(view, object)
  for _, child in ipairs(view.args) do
    walk(child, object, visit)
  end
end

---------------------------------------------------------------------------------------------------------------- dialogs

local LrDialogs = {}

function LrDialogs.message(message, info)
  expect(message, 'string', 'message')
  state.messages[#state.messages + 1] = message .. (info and '\n' .. info or '')
end

function LrDialogs.confirm(message, info)
  state.messages[#state.messages + 1] = message .. (info and '\n' .. info or '')
  return table.remove(state.answers, 1) or 'cancel'
end

function LrDialogs.presentModalDialog(args)
  expect(args.title, 'string', 'title')
  expect(args.contents, 'table', 'contents')
  local dialog = { args = args }
  state.dialogs[#state.dialogs + 1] = dialog
  wait(function() return dialog.result ~= nil end)
  for index, other in ipairs(state.dialogs) do
    if other == dialog then
      table.remove(state.dialogs, index)
    end
  end
  return dialog.result
end

function LrDialogs.stopModalWithResult(view, result)
  for _, dialog in ipairs(state.dialogs) do
    if dialog.args.contents == view then
      dialog.result = result
      return
    end
  end
  error('there is no such dialog', 2)
end

------------------------------------------------------------------------------------------------------------------- LOC

local ESCAPES = {
  r = '\r', n = '\n', B = '\226\128\162', C = '\194\169', D = '\194\176', R = '\194\174', T = '\226\132\162',
  ['{'] = '\226\128\152', ['}'] = '\226\128\153', ['['] = '\226\128\156', [']'] = '\226\128\157', ["'"] = "'",
  ['.'] = '\226\128\166', ['^'] = '^',
}

local function LOC(text, ...)
  local key, value = string.match(text, '^%$%$%$/([%w/]+)=(.*)$')
  if not key then
    error('no ZString: ' .. tostring(text), 2)
  end
  if string.find(text, '[\128-\255]') then
    error('a ZString in code has low ASCII only: ' .. key, 2)
  end
  local arguments = { ... }
  return (string.gsub(state.translations[key] or value, '%^(.)', function(letter)
    if string.find(letter, '%d') then
      return tostring(arguments[tonumber(letter)])
    end
    return ESCAPES[letter] or error('unknown escape ^' .. letter)
  end))
end

----------------------------------------------------------------------------------------------------------- the plug-in

sdk.namespaces = {
  LrBinding = strict('LrBinding', LrBinding),
  LrDate = strict('LrDate', LrDate),
  LrDialogs = strict('LrDialogs', LrDialogs),
  LrErrors = strict('LrErrors', LrErrors),
  LrFileUtils = strict('LrFileUtils', LrFileUtils),
  LrFunctionContext = strict('LrFunctionContext', LrFunctionContext),
  LrHttp = strict('LrHttp', LrHttp),
  LrLocalization = strict('LrLocalization', LrLocalization),
  LrMD5 = strict('LrMD5', LrMD5),
  LrPasswords = strict('LrPasswords', LrPasswords),
  LrPathUtils = strict('LrPathUtils', LrPathUtils),
  LrPrefs = strict('LrPrefs', LrPrefs),
  LrStringUtils = strict('LrStringUtils', LrStringUtils),
  LrTasks = strict('LrTasks', LrTasks),
  LrView = strict('LrView', LrView),
}

sdk.plugin = strict('_PLUGIN', { id = PLUGIN_ID, path = '/plugin' })

--- The globals of a plug-in. One table for all its scripts.
local environment = {
  LOC = LOC, WIN_ENV = false, MAC_ENV = true, _PLUGIN = sdk.plugin,
  io = { open = io.open }, string = string, table = table, math = math,
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next, pairs = pairs,
  pcall = pcall, rawequal = rawequal, rawget = rawget, rawset = rawset, select = select,
  setmetatable = setmetatable, tonumber = tonumber, tostring = tostring, type = type, unpack = unpack,
}
environment._G = environment

function environment.import(name)
  return sdk.namespaces[name] or error('unknown namespace ' .. tostring(name), 2)
end

local function run(name)
  local source = state.sources[name] or error('no file ' .. name .. '.lua', 3)
  local chunk = assert(loadstring(source, '@' .. name .. '.lua'))
  return setfenv(chunk, environment)
end

function environment.require(name)
  if state.loaded[name] == nil then
    state.loaded[name] = run(name)() or true
  end
  return state.loaded[name]
end

setmetatable(environment, {
  __index = function(_, key)
    error('undefined global ' .. tostring(key), 2)
  end,
  __newindex = function(_, key)
    error('a script of the plug-in makes a global: ' .. tostring(key), 2)
  end,
})

sdk.environment = environment

----------------------------------------------------------------------------------------------------- what tests control

--- Runs a script of the plug-in, as Lightroom does for a menu item: in no task.
function sdk.runScript(name)
  run(name)()
end

--- Runs Lua of a test in a task, with `require` of the plug-in.
function sdk.start(source)
  local chunk = assert(loadstring(source, '@test'))
  setfenv(chunk, setmetatable({ sdk = sdk }, { __index = environment }))
  LrTasks.startAsyncTask(chunk)
end

--- Runs Lua of a test at once, in no task. Returns its result as a text.
function sdk.evaluate(source)
  local chunk = assert(loadstring(source, '@test'))
  setfenv(chunk, setmetatable({ sdk = sdk }, { __index = environment }))
  return tostring((chunk()))
end

--- Runs tasks until all wait. Returns the requests that were made since, one a line:
-- number, method, and in hex address, headers, body.
function sdk.run()
  while runReady() do end
  local lines = {}
  for id, request in ipairs(state.requests) do
    if request and not request.isSent then
      request.isSent = true
      lines[#lines + 1] = table.concat(
        { id, request.method, toHex(request.url), toHex(request.headers), toHex(request.body) }, ' ')
    end
  end
  return table.concat(lines, '\n')
end

--- Answers a request. `headers` are lines `name: value`, in hex. With `failure`, the request failed so.
function sdk.answer(id, status, headers, body, failure)
  local request = state.requests[id]
  if failure ~= '' then
    request.info = { error = { errorCode = failure, name = failure, nativeCode = 0 } }
    return
  end
  local info = { status = status }
  for name, value in string.gmatch(fromHex(headers), '([^\n:]+): ([^\n]*)') do
    info[#info + 1] = { field = name, value = value }
  end
  request.answer, request.info = fromHex(body), info
end

--- Moves the time to the next waking of a task. Returns whether there is one.
function sdk.passTime()
  local at = nextWaking()
  if at then
    state.now = math.max(state.now, at)
  end
  return at ~= nil
end

--- How many tasks there are.
function sdk.taskCount()
  return #state.tasks
end

--- The texts of the dialog in front, one a line; empty without one.
function sdk.dialogText()
  local dialog = state.dialogs[#state.dialogs]
  if not dialog then
    return ''
  end
  local lines = { dialog.args.title }
  walk(dialog.args.contents, nil, function(view, object)
    for _, name in ipairs({ 'title', 'value' }) do
      local value = view.args[name]
      if value ~= nil then
        lines[#lines + 1] = view.kind .. ': ' .. tostring(resolve(value, object))
      end
    end
  end)
  return table.concat(lines, '\n')
end

--- Presses a button of the dialog in front.
function sdk.press(label)
  local dialog = state.dialogs[#state.dialogs] or error('there is no dialog')
  if label == dialog.args.cancelVerb then
    dialog.result = 'cancel'
    return
  elseif label == dialog.args.actionVerb then
    dialog.result = 'ok'
    return
  end
  local pressed
  walk(dialog.args.contents, nil, function(view, object)
    if view.kind == 'push_button' and resolve(view.args.title, object) == label then
      pressed = view
    end
  end)
  if not pressed then
    error('no button ' .. label .. ' in:\n' .. sdk.dialogText())
  end
  pressed.args.action(pressed)
end

--- Sets the value of the control of a kind in the dialog in front: a check box by its title, else the first of the kind.
function sdk.choose(kind, title, choice)
  local dialog = state.dialogs[#state.dialogs] or error('there is no dialog')
  local isDone
  walk(dialog.args.contents, nil, function(view, object)
    if view.kind == kind and (title == '' or view.args.title == title) and not isDone then
      local value = choice
      for _, item in ipairs(resolve(view.args.items, object) or {}) do
        if item.title == choice then
          value = item.value
        end
      end
      object[view.args.value.bound] = value
      isDone = true
    end
  end)
  if not isDone then
    error('no ' .. kind .. ' in:\n' .. sdk.dialogText())
  end
end

--- All texts in a table, with those of its tables.
function sdk.dump(value)
  if type(value) ~= 'table' then
    return tostring(value)
  end
  local parts = {}
  for key, member in pairs(value) do
    parts[#parts + 1] = tostring(key) .. '=' .. sdk.dump(member)
  end
  return table.concat(parts, '\n')
end

--- The error of the compiler in a script of the plug-in, or nil.
function sdk.syntaxError(name)
  local _, problem = loadstring(state.sources[name])
  return problem
end
