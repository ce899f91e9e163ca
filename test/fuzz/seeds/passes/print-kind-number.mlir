// verify-cost
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"toy" = #dlti.target_device_spec<"clock_hz" = 1000 : i64, "engines" = #dlti.map<"core" = #dlti.map<"kinds" = [0, "vector"], "count" = 3 : i64, "units" = 1 : i64>>, "memories" = #dlti.map<"dram" = #dlti.map<"bytes_per_second" = 1000 : i64, "lanes" = 1024 : i64>>>>} {
}
