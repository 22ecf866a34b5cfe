// Measurements on the built program. Usage: npm run bench [-- <name>] [options]
//   hooks    time, CPU and memory of hooks, `status`, the MCP server and `advance` (the default)
//   context  what holdfast adds to the context of a session; --write updates docs/internals/performance.md
//   tokens   what the guidance of realistic runs costs, and whether it keeps their facts
//   profile  where the CPU time of one hook goes
//   page     how long the page of `holdfast ui` takes to open with 1,000 runs; needs Chromium
// Each file in scripts/bench/ describes its options.
const BENCHES = {
  hooks: './bench/hooks.mjs',
  context: './bench/context.mjs',
  tokens: './bench/tokens.ts',
  profile: './bench/profile.mjs',
  page: './bench/page.mjs',
};

const named = process.argv[2]?.startsWith('--') === false;
const [name] = named ? process.argv.splice(2, 1) : ['hooks'];
if (Object.hasOwn(BENCHES, name)) await import(BENCHES[name]);
else {
  console.error(
    `unknown benchmark "${name}"; available: ${Object.keys(BENCHES).join(', ')}`,
  );
  process.exitCode = 1;
}
