@echo off
rem Copies plugins and presets into the folders of the user.
setlocal
cd /d "%~dp0"
set "common=%LOCALAPPDATA%\Programs\Common"
set "presets=%USERPROFILE%\Documents\VST3 Presets\Touchback\Touchback"
if not exist "%common%\CLAP" mkdir "%common%\CLAP"
copy /y Touchback.clap "%common%\CLAP" >nul
if errorlevel 1 exit /b 1
echo %common%\CLAP\Touchback.clap
if exist "%common%\VST3\Touchback.vst3" rmdir /s /q "%common%\VST3\Touchback.vst3"
xcopy /e /i /y Touchback.vst3 "%common%\VST3\Touchback.vst3" >nul
if errorlevel 1 exit /b 1
echo %common%\VST3\Touchback.vst3
if not exist "%presets%" mkdir "%presets%"
copy /y presets\*.vstpreset "%presets%" >nul
if errorlevel 1 exit /b 1
echo %presets%
