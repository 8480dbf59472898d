--- Requests with a form as their body (RFC 6749 appendix B).
local Form = {}

--- Percent-encodes a text for a query or a form.
function Form.escape(text)
  return (string.gsub(text, '[^%w_.~-]', function(letter)
    return string.format('%%%02X', string.byte(letter))
  end))
end

--- `a=1&b=2`, with sorted names. Fields that are nil are left out.
function Form.encode(fields)
  local parts = {}
  for name, value in pairs(fields) do
    parts[#parts + 1] = Form.escape(name) .. '=' .. Form.escape(tostring(value))
  end
  table.sort(parts)
  return table.concat(parts, '&')
end

--- A POST request that accepts JSON.
function Form.post(url, fields)
  return {
    method = 'POST',
    url = url,
    headers = { ['Content-Type'] = 'application/x-www-form-urlencoded', Accept = 'application/json' },
    body = Form.encode(fields),
  }
end

return Form
