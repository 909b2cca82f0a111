"""What `sysconfig` asks of the build, which just-bash's library leaves out."""
build_time_vars = {"TZPATH": "/usr/share/zoneinfo:/lib/zoneinfo"}
