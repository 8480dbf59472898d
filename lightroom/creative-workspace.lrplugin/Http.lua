--- Requests through LrHttp. It follows redirects, and has no way to stop that; the service never redirects below `/api`.
local LrHttp = import 'LrHttp'

local Answers = require 'Answers'

local Http = {}

--- Seconds for each phase of a request.
local TIMEOUT_S = 60
--- The error codes of the SDK. A certificate that cannot be trusted means that something sits between.
local CODES = {
  timedOut = 'CW-302',
  networkConnectionLost = 'CW-302',
  badServerResponse = 'CW-304',
  redirectError = 'CW-304',
  securityError = 'CW-304',
  authenticationError = 'CW-304',
  serverCertificateHasBadDate = 'CW-304',
  serverCertificateHasUnknownRoot = 'CW-304',
}

--- The headers as the SDK takes them. Without a `Content-Type` it would add `text/plain`.
local function headerList(headers)
  local list = { { field = 'Content-Type', value = headers['Content-Type'] or 'skip' } }
  for name, value in pairs(headers) do
    if name ~= 'Content-Type' then
      list[#list + 1] = { field = name, value = value }
    end
  end
  return list
end

--- Looks a header up in any case.
local function reader(info)
  return function(name)
    for _, header in ipairs(info) do
      if type(header) == 'table' and string.lower(header.field or '') == string.lower(name) then
        return header.value
      end
    end
    return nil
  end
end

--- Sends `{ method, url, headers, body }`. Returns `{ status, body, header(name) }`, or nil and a transient error.
function Http.send(request)
  local body, info
  if request.method == 'GET' then
    body, info = LrHttp.get(request.url, headerList(request.headers), TIMEOUT_S)
  else
    body, info = LrHttp.post(request.url, request.body or '', headerList(request.headers), request.method, TIMEOUT_S)
  end
  if type(info) ~= 'table' or info.error or not info.status then
    local code = type(info) == 'table' and info.error and CODES[info.error.errorCode] or 'CW-301'
    local problem = Answers.error(code)
    problem.isTransient = true
    return nil, problem
  end
  return { status = info.status, body = body or '', header = reader(info) }
end

return Http
