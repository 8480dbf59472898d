--- The session with the service: tokens in secure storage, and at most one refresh in flight.
-- `options`: `read()` and `write(text)` of secure storage, `send`, `now`, `sleep`, `random()`, `pcall`,
-- `baseUrl`, `clientId`, and `lock`, one table for all tasks of the plug-in.
local Answers = require 'Answers'
local DeviceGrant = require 'DeviceGrant'
local Form = require 'Form'
local Json = require 'Json'

local Session = {}
Session.__index = Session

--- A token is refreshed this long before it expires. Seconds.
local EARLY_S = 60
local LOCK_POLL_S = 0.1

function Session.new(options)
  return setmetatable({ options = options }, Session)
end

--- What is in storage: `{ access, refresh, expiresAt, attempt, scope, baseUrl, revoke, hasEnded }`. A
-- session with another service is no session here.
function Session:record()
  local record = Json.decodeObject(self.options.read() or '') or {}
  return record.baseUrl == self.options.baseUrl and record or {}
end

--- Stores a record. Returns false when storage does not have it afterwards.
function Session:save(record)
  record.baseUrl = self.options.baseUrl
  local text = Json.encode(record)
  return self.options.write(text) and self.options.read() == text
end

function Session:isConnected()
  return self:record().access ~= nil
end

--- Whether the session has all these scopes. A service that names none has granted what was requested.
function Session:hasScopes(scopes)
  local granted = ' ' .. (self:record().scope or '') .. ' '
  for scope in string.gmatch(scopes, '%S+') do
    if not string.find(granted, ' ' .. scope .. ' ', 1, true) then
      return false
    end
  end
  return true
end

--- Starts a session with the tokens of a sign-in. The tokens of the old one are revoked.
-- Returns true, or nil and CW-701; the old session is then as before.
function Session:adopt(tokens, requestedScope)
  local outcome, problem = self:alone(nil, function()
    local old = self:record()
    local isSaved = self:save({
      access = tokens.access,
      refresh = tokens.refresh,
      expiresAt = tokens.expiresAt,
      scope = tokens.scope or requestedScope,
      revoke = old.refresh or old.access or old.revoke,
    })
    if not isSaved then
      return nil, Answers.error('CW-701')
    end
    return true
  end)
  if outcome then
    self:flushRevocation()
  end
  return outcome, problem
end

--- Ends the session. The token is revoked at the service, now or at a later call of `flushRevocation`.
function Session:disconnect()
  local outcome, problem = self:alone(nil, function()
    local old = self:record()
    if not self:save({ revoke = old.refresh or old.access or old.revoke }) then
      return nil, Answers.error('CW-701')
    end
    return true
  end)
  self:flushRevocation()
  return outcome, problem
end

--- Revokes what an earlier session left (RFC 7009). A failure is tried again at the next call.
function Session:flushRevocation()
  local token = self:record().revoke
  if not token then
    return
  end
  local fields = { token = token, client_id = self.options.clientId }
  local response = self.options.send(Form.post(self.options.baseUrl .. '/api/oauth/revoke', fields))
  local isOver = response and (Answers.isOAuthSuccess(response) or not Answers.failure(response, 'CW-202').isTransient)
  local record = self:record()
  if isOver and record.revoke == token then
    record.revoke = nil
    self:save(record)
  end
end

--- A valid access token. Or nil and an error: CW-201 not connected, CW-202 ended, CW-701 storage, else transient.
function Session:accessToken()
  local record = self:record()
  if not record.access then
    return nil, Answers.error(record.hasEnded and 'CW-202' or 'CW-201')
  end
  if record.expiresAt and self.options.now() >= record.expiresAt - EARLY_S then
    return self:refresh(record.access)
  end
  return record.access
end

--- Replaces the access token `failed`, unless another task has done so. All tasks share one refresh, and its failure.
function Session:refresh(failed)
  return self:alone(failed, function()
    local record = self:record()
    if not record.access then
      return nil, Answers.error(record.hasEnded and 'CW-202' or 'CW-201')
    elseif record.access ~= failed then
      return record.access
    end
    return self:exchange(record)
  end)
end

--- Runs `change` while no other task changes the session. A task that waited for a refresh of the same token gets its
-- outcome.
function Session:alone(failed, change)
  local lock = self.options.lock
  local waited = false
  while lock.isTaken do
    waited = true
    self.options.sleep(LOCK_POLL_S)
  end
  if waited and failed and lock.failed == failed and lock.problem then
    return nil, lock.problem
  end
  lock.isTaken = true
  local isGood, outcome, problem = self.options.pcall(change)
  lock.failed, lock.problem = failed, problem
  lock.isTaken = false
  if not isGood then
    return nil, Answers.error('CW-901')
  end
  return outcome, problem
end

--- Exchanges the refresh token, which the service accepts once. `refresh_attempt` is stored first: after a lost answer
-- the same exchange can be repeated (docs/oauth.md of the service).
function Session:exchange(record)
  if not record.refresh then
    return self:finish(Answers.error('CW-202'))
  end
  if not record.attempt then
    record.attempt = self.options.random()
    if not self:save(record) then
      return nil, Answers.error('CW-701')
    end
  end
  local askedAt = self.options.now()
  local response, problem = self.options.send(Form.post(self.options.baseUrl .. '/api/oauth/token', {
    grant_type = 'refresh_token',
    refresh_token = record.refresh,
    client_id = self.options.clientId,
    refresh_attempt = record.attempt,
  }))
  if not response then
    return nil, problem
  end
  if not Answers.isOAuthSuccess(response) then
    local refusal = Answers.failure(response, 'CW-202')
    if refusal.oauth == 'invalid_grant' then
      return self:finish(refusal)
    end
    -- The operators can repair any other refusal, so the tokens stay.
    refusal.code = refusal.isTransient and refusal.code or 'CW-303'
    return nil, refusal
  end
  local tokens, unusable = DeviceGrant.readTokens(response, askedAt)
  if not tokens then
    return nil, unusable
  end
  -- New tokens are stored before anyone uses them. If that fails, the next refresh repeats this one.
  local isSaved = self:save({
    access = tokens.access,
    refresh = tokens.refresh or record.refresh,
    expiresAt = tokens.expiresAt,
    scope = tokens.scope or record.scope,
    revoke = record.revoke,
  })
  if not isSaved then
    return nil, Answers.error('CW-701')
  end
  return tokens.access
end

function Session:finish(problem)
  self:save({ hasEnded = true, scope = self:record().scope })
  return nil, problem
end

return Session
