-- Makes wrk use the keys of a file, one per line, in rotation.

function init(arguments)
  requests, place = {}, 0
  for token in io.lines(arguments[1]) do
    wrk.headers["Authorization"] = "Bearer " .. token
    table.insert(requests, wrk.format())
  end
end

function request()
  place = place % #requests + 1
  return requests[place]
end
