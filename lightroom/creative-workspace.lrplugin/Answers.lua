--- Classifies responses of the service, as `src/oauth/errors.ts` of the panel does. Errors are values:
-- `{ code, status, oauth, retryAfter, isTransient }`, without secrets, names and addresses.
local Json = require 'Json'

local Answers = {}

local TRANSIENT_WORDS = { temporarily_unavailable = true, server_error = true }
local FINAL_FAILURES = { [501] = true, [505] = true, [507] = true }
local MAX_RETRY_AFTER_S = 60

--- An error of our own.
function Answers.error(code)
  return { code = code, isTransient = code == 'CW-301' or code == 'CW-302' or code == 'CW-303' }
end

function Answers.isSuccess(response)
  return response.status >= 200 and response.status < 300
end

--- The word of the service (RFC 6749 section 5.2), or nil.
local function errorWord(response)
  local body = Json.decodeObject(response.body)
  local word = body and body.error
  return type(word) == 'string' and string.match(word, '^[%w_.-]+$') and #word <= 64 and word or nil
end

--- Whether a response of an OAuth endpoint is a success. The body decides before the status.
function Answers.isOAuthSuccess(response)
  return Answers.isSuccess(response) and errorWord(response) == nil
end

local function withDetails(code, response, isTransient)
  local seconds = tonumber(string.match(response.header('Retry-After') or '', '^%s*(%d+)%s*$'))
  return {
    code = code,
    status = response.status,
    oauth = errorWord(response),
    retryAfter = seconds and math.min(seconds, MAX_RETRY_AFTER_S),
    isTransient = isTransient,
  }
end

--- The error for a response of a proxy, a filter or the login page of a network.
function Answers.intercepted(response)
  return withDetails('CW-304', response, true)
end

--- Turns a response that is not a success into an error. `refusal` is the code for a refusal by the service.
function Answers.failure(response, refusal)
  local status = response.status
  local word = errorWord(response)
  local isFinal = FINAL_FAILURES[status] == true
  if status == 511 then
    return Answers.intercepted(response)
  elseif status == 408 or status == 425 or status == 429 or TRANSIENT_WORDS[word or '']
      or (status >= 500 and status < 600 and not isFinal) then
    return withDetails('CW-303', response, true)
  elseif isFinal or ((word or response.header('Tus-Resumable')) and not (status >= 300 and status < 400)) then
    return withDetails(refusal, response, false)
  end
  return Answers.intercepted(response)
end

return Answers
