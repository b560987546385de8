-- Makes wrk request the paths of WRK_PATHS in rotation, and print its figures as JSON.

local requests, place = {}, 0

function init()
  for path in os.getenv("WRK_PATHS"):gmatch("%S+") do
    table.insert(requests, wrk.format("GET", path))
  end
end

function request()
  place = place % #requests + 1
  return requests[place]
end

function done(summary, latency)
  local errors = summary.errors
  local figures = '\n{"completed": %d, "errors": %d, "rate": %.1f, ' ..
    '"p50_ms": %.3f, "p99_ms": %.3f, "p999_ms": %.3f, "max_ms": %.3f}\n'
  io.write(figures:format(summary.requests,
    errors.status + errors.connect + errors.read + errors.timeout, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, latency:percentile(99.9) / 1000, latency.max / 1000))
end
