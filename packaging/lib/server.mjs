// The listing in the MCP registry: server.json, made only if packaging/home.toml has its name.

/** @returns {object} the registry's schema has a default for where npm packages are, so none is named */
export const server = (home, version) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: home['mcp-name'],
  title: 'gstack',
  description: 'Drive a real browser: open pages, read them, click, fill forms, take screenshots',
  version,
  websiteUrl: home.address,
  ...(home.address.startsWith('https://github.com/') ? { repository: { url: home.address, source: 'github' } } : {}),
  packages: [
    {
      registryType: 'npm',
      identifier: `${home['npm-scope']}/gstack`,
      version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
    },
  ],
});
