--- OAuth 2.0 Device Authorization Grant (RFC 8628). `options.send` sends requests, so that no call of the SDK is here.
local Answers = require 'Answers'
local Form = require 'Form'
local Json = require 'Json'

local DeviceGrant = {}

local GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
local DEFAULT_LIFETIME_S = 900
local MAX_LIFETIME_S = 86400
local DEFAULT_INTERVAL_S = 5
local MAX_INTERVAL_S = 300
local SLOW_DOWN_S = 5
local LONGEST_BACKOFF_S = 15
--- Timers may be early, and the service answers an early poll with `slow_down`.
local MARGIN = 1.05
local MAX_ADDRESS_LENGTH = 2000
local MAX_TOKEN_LENGTH = 8192

local function textField(body, name)
  local value = body[name]
  return type(value) == 'string' and value ~= '' and value or nil
end

--- A positive number, also one that was sent as text.
local function numberField(body, name)
  local value = tonumber(body[name])
  return value and value > 0 and value == value and value or nil
end

--- Visible ASCII (RFC 6749 appendix A.12): anything else could break out of a header.
local function tokenField(body, name)
  local value = textField(body, name)
  return value and #value <= MAX_TOKEN_LENGTH and string.find(value, '^[!-~]+$') and value or nil
end

--- The address if it is on the service's own origin, else nil. A path is resolved against `baseUrl`.
function DeviceGrant.ownAddress(address, baseUrl)
  if #address > MAX_ADDRESS_LENGTH or string.find(address, '[%c%s\\"<>]') then
    return nil
  end
  if string.find(address, '^/[^/]') then
    return baseUrl .. address
  end
  local rest = string.sub(address, 1, #baseUrl) == baseUrl and string.sub(address, #baseUrl + 1)
  return rest and string.find(rest, '^[/?#]') and address or nil
end

--- Requests a code (RFC 8628 section 3.1). `details` are the optional fields about this computer.
-- Returns `{ deviceCode, userCode, verificationUri, verificationUriComplete, expiresAt, interval }`, times in seconds.
-- Or nil and an error: CW-101 refused, CW-104 an address elsewhere, CW-305 malformed, else transient.
function DeviceGrant.request(options, scope, details)
  local askedAt = options.now()
  local fields = { client_id = options.clientId, scope = scope }
  for name, value in pairs(details or {}) do
    fields[name] = value
  end
  local response, problem = options.send(Form.post(options.baseUrl .. '/api/oauth/device_authorization', fields))
  if not response then
    return nil, problem
  end
  if not Answers.isOAuthSuccess(response) then
    local refusal = Answers.failure(response, 'CW-101')
    if details and refusal.oauth == 'invalid_request' then
      return DeviceGrant.request(options, scope, nil)
    end
    return nil, refusal
  end
  local body = Json.decodeObject(response.body)
  if not body then
    return nil, Answers.intercepted(response)
  end
  local userCode = textField(body, 'user_code')
  local address = textField(body, 'verification_uri')
  if not tokenField(body, 'device_code') or not address or not userCode or not string.find(userCode, '^[ -~]+$')
      or #userCode > 32 then
    return nil, Answers.error('CW-305')
  end
  local own = DeviceGrant.ownAddress(address, options.baseUrl)
  local complete = textField(body, 'verification_uri_complete')
  local ownComplete = complete and DeviceGrant.ownAddress(complete, options.baseUrl)
  if not own or (complete and not ownComplete) then
    return nil, Answers.error('CW-104')
  end
  return {
    deviceCode = body.device_code,
    userCode = userCode,
    verificationUri = own,
    verificationUriComplete = ownComplete,
    expiresAt = askedAt + math.min(numberField(body, 'expires_in') or DEFAULT_LIFETIME_S, MAX_LIFETIME_S),
    interval = math.max(1, math.min(numberField(body, 'interval') or DEFAULT_INTERVAL_S, MAX_INTERVAL_S)),
  }
end

--- Reads a token response (RFC 6749 section 5.1). Returns `{ access, refresh, expiresAt, scope }`.
-- A lifetime counts from `askedAt`, when the request was sent, so it never ends too late.
function DeviceGrant.readTokens(response, askedAt)
  local body = Json.decodeObject(response.body)
  if not body or body.access_token == nil then
    return nil, Answers.intercepted(response)
  end
  local access = tokenField(body, 'access_token')
  local kind = body.token_type == nil and 'Bearer' or body.token_type
  local isUsable = access and string.find(access, '^svc_at_') and string.lower(tostring(kind)) == 'bearer'
  if not isUsable or (body.refresh_token ~= nil and not tokenField(body, 'refresh_token')) then
    return nil, Answers.error('CW-305')
  end
  local lifetime = numberField(body, 'expires_in')
  return {
    access = access,
    refresh = body.refresh_token,
    expiresAt = lifetime and askedAt + lifetime,
    scope = textField(body, 'scope'),
  }
end

--- The three numbers of which the browser shows one, or nil.
local function numberChoices(body)
  local choices = body.number_choices
  if type(choices) ~= 'table' or #choices ~= 3 then
    return nil
  end
  local seen = {}
  for _, number in ipairs(choices) do
    if type(number) ~= 'string' or not string.find(number, '^%d%d$') or seen[number] then
      return nil
    end
    seen[number] = true
  end
  return choices
end

local function refusedPoll(response)
  local refusal = Answers.failure(response, 'CW-106')
  if refusal.oauth == 'access_denied' then
    local body = Json.decodeObject(response.body)
    local codes = { wrong_number = 'CW-107', not_allowed = 'CW-108' }
    refusal.code = codes[body.reason or ''] or 'CW-103'
  elseif refusal.oauth == 'expired_token' then
    refusal.code = 'CW-102'
  end
  return refusal
end

--- One poll. Returns the tokens, or nil and what follows: `{ kind = 'pending', choices }`, `{ kind = 'slow_down' }`,
-- `{ kind = 'trouble', problem }`, or `{ kind = 'end', problem }`.
local function poll(options, deviceCode, number)
  local askedAt = options.now()
  local response, problem = options.send(Form.post(options.baseUrl .. '/api/oauth/token', {
    grant_type = GRANT,
    device_code = deviceCode,
    client_id = options.clientId,
    number = number,
  }))
  if not response then
    return nil, { kind = 'trouble', problem = problem }
  end
  if Answers.isOAuthSuccess(response) then
    local tokens, unusable = DeviceGrant.readTokens(response, askedAt)
    return tokens, unusable and { kind = unusable.isTransient and 'trouble' or 'end', problem = unusable }
  end
  local refusal = refusedPoll(response)
  if refusal.oauth == 'slow_down' then
    return nil, { kind = 'slow_down' }
  elseif refusal.isTransient then
    return nil, { kind = 'trouble', problem = refusal }
  elseif refusal.oauth == 'authorization_pending' then
    return nil, { kind = 'pending', choices = numberChoices(Json.decodeObject(response.body)) }
  end
  return nil, { kind = 'end', problem = refusal }
end

--- Polls until the user has decided (RFC 8628 section 3.4 and 3.5). Waits at least the interval after every answer;
-- `slow_down` adds five seconds for good. After transient errors the waits grow. Ends when the code expires.
-- `options.isCancelled()` ends it with nil alone. `options.chosenNumber()` returns what the user chose, or nil, and
-- `options.onNumbers(choices)` shows the choice.
function DeviceGrant.poll(options, authorization)
  local interval = authorization.interval
  local troubles = 0
  while true do
    local pause = interval * MARGIN
    if troubles > 0 then
      pause = math.max(pause, math.min(interval * 2 ^ troubles, math.max(LONGEST_BACKOFF_S, interval)))
    end
    if options.retryAfter then
      pause = math.max(pause, options.retryAfter)
    end
    if options.now() + pause >= authorization.expiresAt then
      options.sleep(math.max(0, authorization.expiresAt - options.now()), options.isCancelled)
      return nil, not options.isCancelled() and Answers.error('CW-102') or nil
    end
    options.sleep(pause, options.isCancelled)
    if options.isCancelled() then
      return nil
    end
    local tokens, outcome = poll(options, authorization.deviceCode, options.chosenNumber())
    if tokens then
      return tokens
    end
    options.retryAfter = outcome.problem and outcome.problem.retryAfter
    troubles = outcome.kind == 'trouble' and troubles + 1 or 0
    if outcome.kind == 'slow_down' then
      interval = interval + SLOW_DOWN_S
    elseif outcome.kind == 'end' then
      return nil, outcome.problem
    elseif outcome.kind == 'pending' then
      options.onNumbers(outcome.choices)
    end
  end
end

return DeviceGrant
