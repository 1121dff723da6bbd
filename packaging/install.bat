@echo off
rem Copies plugins and presets into the folders of the user.
setlocal
cd /d "%~dp0"
set "common=%LOCALAPPDATA%\Programs\Common"
set "presets=%USERPROFILE%\Documents\VST3 Presets\Touchback\Touchback"
call :put Touchback.clap "%common%\CLAP" file
if errorlevel 1 exit /b 1
call :put Touchback.vst3 "%common%\VST3" folder
if errorlevel 1 exit /b 1
if not exist "%presets%" mkdir "%presets%"
copy /y presets\*.vstpreset "%presets%" >nul
if errorlevel 1 exit /b 1
echo %presets%
exit /b 0

rem The new copy is written under a temporary name and renamed when complete. Until then the old plugin keeps its
rem name or its backup name (.old). An interrupted earlier run is repaired first.
:put
set "installed=%~2\%~1"
set "new=%~2\.%~1.new"
set "old=%~2\.%~1.old"
if not exist "%~2" mkdir "%~2"
if not exist "%installed%" if exist "%old%" move "%old%" "%installed%" >nul
call :remove "%new%" %3
call :remove "%old%" %3
if exist "%old%" echo %old% is in use: close every host and start again
if exist "%old%" exit /b 1
if %3==file copy /y "%~1" "%new%" >nul
if %3==folder call :tree "%~1" "%new%"
if errorlevel 1 exit /b 1
if not exist "%new%" exit /b 1
if exist "%installed%" move "%installed%" "%old%" >nul
if exist "%installed%" exit /b 1
move "%new%" "%installed%" >nul
if not exist "%installed%" goto undo
rem An old plugin that a host still has open is removed by the next installation.
call :remove "%old%" %3 2>nul
echo %installed%
exit /b 0

:undo
if exist "%old%" move "%old%" "%installed%" >nul
exit /b 1

:tree
xcopy /e /i /y /q "%~1" "%~2" >nul
exit /b %errorlevel%

:remove
if not exist "%~1" exit /b 0
if %2==folder rmdir /s /q "%~1"
if %2==file del /f /q "%~1"
exit /b 0
