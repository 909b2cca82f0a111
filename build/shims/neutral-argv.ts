/**
 * Put before the engine's worker scripts: what they show to a guest as the program's own name (`$_`,
 * `sys.executable`) comes from `process.argv`, which would tell where on the host the package lies.
 */
process.argv.splice(0, 2, "/usr/bin/python3", "/usr/bin/python3");
