// Generated from schemas/settings.schema.json by `npm run generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","$id":"holdfast/settings.schema.json","title":"HoldfastSettings","description":"Settings of holdfast for one project: .claude/holdfast.json. Every key is optional.","type":"object","additionalProperties":false,"properties":{"$schema":{"type":"string"},"detect":{"title":"DetectSettings","description":"Where workflows are declared, inside the project only.","type":"object","additionalProperties":false,"properties":{"local_file":{"$ref":"#/definitions/project_path","default":"CLAUDE.local.md"},"plans":{"description":"Paths from the project root; * and ? match within one folder or file name.","type":"array","items":{"$ref":"#/definitions/project_path"},"default":["CLAUDE/Plan/*/PLAN.md"]}}},"restore":{"title":"RestoreSettings","type":"object","additionalProperties":false,"properties":{"startup":{"description":"What a new session is given about a run that nobody holds.","enum":["offer","full","off"],"default":"offer"},"max_chars":{"type":"integer","minimum":2000,"maximum":8000,"default":8000},"inline_chars":{"type":"integer","minimum":0,"maximum":6000,"default":2000}}},"reading":{"title":"ReadingSettings","type":"object","additionalProperties":false,"properties":{"enforce":{"enum":["off","remind","block"],"default":"remind"}}},"todo":{"title":"TodoSettings","type":"object","additionalProperties":false,"properties":{"file":{"$ref":"#/definitions/project_path","default":"TODO.md"}}},"critical_artifacts":{"description":"For runs that have no template.","type":"object","additionalProperties":true}},"definitions":{"project_path":{"description":"A path from the project root that stays inside the project.","type":"string","pattern":"^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"}}};
const schema12 = {"description":"A path from the project root that stays inside the project.","type":"string","pattern":"^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"};
const pattern0 = new RegExp("^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="holdfast/settings.schema.json" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((((key0 === "$schema") || (key0 === "detect")) || (key0 === "restore")) || (key0 === "reading")) || (key0 === "todo")) || (key0 === "critical_artifacts"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.$schema !== undefined){
if(typeof data.$schema !== "string"){
const err1 = {instancePath:instancePath+"/$schema",schemaPath:"#/properties/%24schema/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.detect !== undefined){
let data1 = data.detect;
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(!((key1 === "local_file") || (key1 === "plans"))){
const err2 = {instancePath:instancePath+"/detect",schemaPath:"#/properties/detect/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data1.local_file !== undefined){
let data2 = data1.local_file;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err3 = {instancePath:instancePath+"/detect/local_file",schemaPath:"#/definitions/project_path/pattern",keyword:"pattern",params:{pattern: "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"},message:"must match pattern \""+"^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"+"\""};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/detect/local_file",schemaPath:"#/definitions/project_path/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data1.plans !== undefined){
let data3 = data1.plans;
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
const err5 = {instancePath:instancePath+"/detect/plans/" + i0,schemaPath:"#/definitions/project_path/pattern",keyword:"pattern",params:{pattern: "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"},message:"must match pattern \""+"^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"+"\""};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/detect/plans/" + i0,schemaPath:"#/definitions/project_path/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
else {
const err7 = {instancePath:instancePath+"/detect/plans",schemaPath:"#/properties/detect/properties/plans/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
else {
const err8 = {instancePath:instancePath+"/detect",schemaPath:"#/properties/detect/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.restore !== undefined){
let data5 = data.restore;
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
for(const key2 in data5){
if(!(((key2 === "startup") || (key2 === "max_chars")) || (key2 === "inline_chars"))){
const err9 = {instancePath:instancePath+"/restore",schemaPath:"#/properties/restore/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data5.startup !== undefined){
let data6 = data5.startup;
if(!(((data6 === "offer") || (data6 === "full")) || (data6 === "off"))){
const err10 = {instancePath:instancePath+"/restore/startup",schemaPath:"#/properties/restore/properties/startup/enum",keyword:"enum",params:{allowedValues: schema11.properties.restore.properties.startup.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data5.max_chars !== undefined){
let data7 = data5.max_chars;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
const err11 = {instancePath:instancePath+"/restore/max_chars",schemaPath:"#/properties/restore/properties/max_chars/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 8000 || isNaN(data7)){
const err12 = {instancePath:instancePath+"/restore/max_chars",schemaPath:"#/properties/restore/properties/max_chars/maximum",keyword:"maximum",params:{comparison: "<=", limit: 8000},message:"must be <= 8000"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data7 < 2000 || isNaN(data7)){
const err13 = {instancePath:instancePath+"/restore/max_chars",schemaPath:"#/properties/restore/properties/max_chars/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2000},message:"must be >= 2000"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
if(data5.inline_chars !== undefined){
let data8 = data5.inline_chars;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
const err14 = {instancePath:instancePath+"/restore/inline_chars",schemaPath:"#/properties/restore/properties/inline_chars/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 6000 || isNaN(data8)){
const err15 = {instancePath:instancePath+"/restore/inline_chars",schemaPath:"#/properties/restore/properties/inline_chars/maximum",keyword:"maximum",params:{comparison: "<=", limit: 6000},message:"must be <= 6000"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data8 < 0 || isNaN(data8)){
const err16 = {instancePath:instancePath+"/restore/inline_chars",schemaPath:"#/properties/restore/properties/inline_chars/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
}
else {
const err17 = {instancePath:instancePath+"/restore",schemaPath:"#/properties/restore/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data.reading !== undefined){
let data9 = data.reading;
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
for(const key3 in data9){
if(!(key3 === "enforce")){
const err18 = {instancePath:instancePath+"/reading",schemaPath:"#/properties/reading/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data9.enforce !== undefined){
let data10 = data9.enforce;
if(!(((data10 === "off") || (data10 === "remind")) || (data10 === "block"))){
const err19 = {instancePath:instancePath+"/reading/enforce",schemaPath:"#/properties/reading/properties/enforce/enum",keyword:"enum",params:{allowedValues: schema11.properties.reading.properties.enforce.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
else {
const err20 = {instancePath:instancePath+"/reading",schemaPath:"#/properties/reading/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data.todo !== undefined){
let data11 = data.todo;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key4 in data11){
if(!(key4 === "file")){
const err21 = {instancePath:instancePath+"/todo",schemaPath:"#/properties/todo/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data11.file !== undefined){
let data12 = data11.file;
if(typeof data12 === "string"){
if(!pattern0.test(data12)){
const err22 = {instancePath:instancePath+"/todo/file",schemaPath:"#/definitions/project_path/pattern",keyword:"pattern",params:{pattern: "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"},message:"must match pattern \""+"^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"+"\""};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
else {
const err23 = {instancePath:instancePath+"/todo/file",schemaPath:"#/definitions/project_path/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
else {
const err24 = {instancePath:instancePath+"/todo",schemaPath:"#/properties/todo/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data.critical_artifacts !== undefined){
let data13 = data.critical_artifacts;
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
}
else {
const err25 = {instancePath:instancePath+"/critical_artifacts",schemaPath:"#/properties/critical_artifacts/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
