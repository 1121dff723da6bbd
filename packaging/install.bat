@echo off
rem Copies plugins and presets into the folders of the user.
setlocal
cd /d "%~dp0"
set "common=%LOCALAPPDATA%\Programs\Common"
set "presets=%USERPROFILE%\Documents\VST3 Presets\Touchback\Touchback"
if not exist "%common%\CLAP" mkdir "%common%\CLAP"
copy /y Touchback.clap "%common%\CLAP" || exit /b 1
if exist "%common%\VST3\Touchback.vst3" rmdir /s /q "%common%\VST3\Touchback.vst3"
xcopy /e /i /y Touchback.vst3 "%common%\VST3\Touchback.vst3" || exit /b 1
if not exist "%presets%" mkdir "%presets%"
copy /y presets\*.vstpreset "%presets%" || exit /b 1
