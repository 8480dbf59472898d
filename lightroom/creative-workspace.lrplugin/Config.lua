--- The service that this plug-in was built for. `npm run release` replaces the address.
return {
  baseUrl = 'http://localhost:8780',
  clientId = 'creative-workspace-lightroom',
  -- What publishing needs. Further scopes are requested when a feature first needs them.
  scope = 'uploads:write uploads:read projects:write',
}
